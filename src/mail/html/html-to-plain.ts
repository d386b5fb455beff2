/** Makes the plain part of a mail whose author wrote HTML. */
import { compile } from 'html-to-text'

/** Marked text of a marked, sanitised page or fragment, without purely decorative parts. */
export const htmlToPlain = (html: string): string => {
  const lines = convert(html).replaceAll('\u00a0', ' ').split('\n')
  const text = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
  return text === '' ? '' : `${text}\n`
}

const convert = compile({
  wordwrap: false,
  selectors: [
    { selector: 'style', format: 'skip' },
    { selector: 'title', format: 'skip' },
    { selector: '.f-preheader', format: 'skip' },
    { selector: 'img', format: 'alt' },
    {
      selector: 'a',
      options: { linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
    },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
  ],
  formatters: {
    alt: (element, _walk, builder) => {
      const alt: unknown = element.attribs?.alt
      if (typeof alt === 'string' && alt.trim() !== '') builder.addInline(`[${alt.trim()}]`)
    },
  },
})
