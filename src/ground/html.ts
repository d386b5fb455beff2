/**
 * HTML as a tagged template: every value is text and is escaped, unless `html` itself created it.
 */

/** A piece of a page. Only `html` makes one, so that third-party text never is one. */
export class Html {
  readonly markup: string
  private constructor(markup: string) {
    this.markup = markup
  }

  static template(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
    return new Html(parts.reduce((before, part, index) => before + write(values[index - 1]) + part))
  }
}

/** The values that a template takes. `null` and `false` leave nothing; lists are joined. */
export type HtmlValue = string | number | Html | null | false | readonly HtmlValue[]

export const html = Html.template

function write(value: HtmlValue | undefined): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(write).join('')
  return escapeText(String(value))
}

/**
 * Safe in text and in quoted attributes; control characters, which no reader needs, become visible
 * (HTML 13.2.3.5).
 */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, '\ufffd')
    .replaceAll(/[&<>"'`]/g, (character) => `&#${character.codePointAt(0)};`)
}
