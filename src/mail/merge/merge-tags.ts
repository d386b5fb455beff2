/**
 * Merge tags: a fixed look-up written as `{{firstName}}` or `{{fields.city | default: "your
 * town"}}`, without any computation.
 */

/** The values of tags: a subscriber as stored. */
export interface MergeValues {
  email: string
  firstName: string | null
  lastName: string | null
  /** Custom fields by key. */
  fields: Readonly<Record<string, string>>
}

/**
 * The names that a tag may use. `literal` has no value of anybody, so that its default is shown.
 * The two addresses differ for each recipient and are known to the mail alone.
 */
export type TagName =
  | 'firstName'
  | 'lastName'
  | 'email'
  | `fields.${string}`
  | 'unsubscribe_url'
  | 'view_url'
  | 'literal'

export interface MergeTag {
  name: TagName
  /** Shown when the contact has no such value; empty when the author gave none. */
  fallback: string
}

/**
 * A text cut at its tags; a string that is not text cannot be read as a tag, and goes on to where
 * one could begin.
 */
export type TaggedText = Array<{ text: string } | { tag: MergeTag } | { malformed: string }>

/** Longest tag, in UTF-16 units: what follows `{{` is not searched further for its end. */
const tagMax = 400

/**
 * Reads `{{name}}`, `{{name | default: "…"}}` and `{{ '…' }}`, a literal text; double and single
 * quotes alike. Pages write quotes and spaces as entities inside tags: these are read alike.
 */
export function readTags(text: string): TaggedText {
  const pieces: TaggedText = []
  let at = 0
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    if (open > at) pieces.push({ text: text.slice(at, open) })
    const source = tagPattern.exec(text.slice(open, open + tagMax))?.[0]
    if (source === undefined) {
      const next = text.indexOf('{{', open + 2)
      at = next === -1 ? text.length : next
      pieces.push({ malformed: text.slice(open, at) })
      continue
    }
    const tag = readTag(source)
    pieces.push(tag === null ? { malformed: source } : { tag })
    at = open + source.length
  }
  if (at < text.length) pieces.push({ text: text.slice(at) })
  return pieces
}

/** From `{{` to `}}`; a default may hold braces. */
const tagPattern = /^\{\{(?:[^{}"']|"[^"]*"|'[^']*')*\}\}/

function readTag(source: string): MergeTag | null {
  const inside = source
    .slice(2, -2)
    .replace(
      /&(quot|apos|#34|#39|nbsp|amp|lt|gt);|\u00a0/g,
      (entity) => entities.get(entity) ?? ' ',
    )
  const literal = literalPattern.exec(inside)
  if (literal) return { name: 'literal', fallback: literal[1] ?? literal[2] ?? '' }
  const [, name = '', double, single] = insidePattern.exec(inside) ?? []
  const known = tagNameOf(name)
  return known === null ? null : { name: known, fallback: double ?? single ?? '' }
}

/** Null if a tag has no such name. */
export const tagNameOf = (name: string): TagName | null =>
  isField(name) ? name : (names.get(name) ?? null)

const isField = (name: string): name is `fields.${string}` =>
  /^fields\.[a-z][a-z0-9_]{0,59}$/.test(name)

const entities: ReadonlyMap<string, string> = new Map([
  ['&quot;', '"'],
  ['&#34;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
])

const literalPattern = /^\s*(?:"([^"]*)"|'([^']*)')\s*$/

const insidePattern =
  /^\s*(fields\.[a-z][a-z0-9_]*|[A-Za-z_]+)\s*(?:\|\s*default\s*:\s*(?:"([^"]*)"|'([^']*)')\s*)?$/

const names: ReadonlyMap<string, TagName> = new Map(
  (['firstName', 'lastName', 'email', 'unsubscribe_url', 'view_url'] as const).map((name) => [
    name,
    name,
  ]),
)

/** A line with its tags filled in; unreadable ones stay as they are. */
export const fillTags = (line: string, contact: MergeValues | null): string =>
  replaceTags(line, (tag) => mergeValue(tag, contact))

/**
 * The text with each tag written by the caller; an unreadable one stays as it is unless the caller
 * says otherwise.
 */
export const replaceTags = (
  text: string,
  write: (tag: MergeTag) => string,
  writeMalformed = (source: string): string => source,
): string =>
  readTags(text)
    .map((piece) =>
      'text' in piece
        ? piece.text
        : 'tag' in piece
          ? write(piece.tag)
          : writeMalformed(piece.malformed),
    )
    .join('')

/**
 * The value of a tag, as raw text; the two addresses are not the contact's and are left to the
 * mail.
 */
export function mergeValue({ name, fallback }: MergeTag, contact: MergeValues | null): string {
  const value = contact === null ? '' : clean(readValue(name, contact))
  return value === '' ? fallback : value
}

/** Reads own properties only: a field may be named like a property of the prototype. */
function readValue(name: TagName, contact: MergeValues): string {
  switch (name) {
    case 'firstName':
      return contact.firstName ?? ''
    case 'lastName':
      return contact.lastName ?? ''
    case 'email':
      return contact.email
    case 'literal':
    case 'unsubscribe_url':
    case 'view_url':
      return ''
    default: {
      const key = name.slice('fields.'.length)
      return Object.hasOwn(contact.fields, key) ? (contact.fields[key] ?? '') : ''
    }
  }
}

const controls = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Removes control characters of a value, with those that change the writing direction (security:
 * Control characters).
 */
export const clean = (value: string): string =>
  /^[ -~]*$/.test(value) ? value : value.replace(controls, '')

/** The tag as an author writes it; `readTags` reads it back. */
export function writeTag({ name, fallback }: MergeTag): string {
  if (fallback === '') return `{{${name}}}`
  const quote = fallback.includes('"') ? "'" : '"'
  if (name === 'literal') return `{{ ${quote}${fallback}${quote} }}`
  return `{{${name} | default: ${quote}${fallback}${quote}}}`
}
