/**
 * The tags of one value and the characters that divide them: commas or semicolons, unless the user
 * says otherwise. A file in which others stand, or both of these, is asked about: `vip|beta` may be
 * one tag or two.
 */

/** A character that may divide the tags of a file. */
export interface UnknownSeparator {
  separator: string
  /** Lines that have it. */
  count: number
  /** One of their values, cut to what a page shows. */
  example: string
}

const plainSeparators = ',;'

/** Others, such as `&`, `:` and `-`, stand in the middle of tags more often than between two. */
const candidates = [...plainSeparators, '|', '/', '\n', '\t', '¦', '•', '·']

/** What a backslash stands before, so that it belongs to its tag. */
const special = new Set(['"', '\\', ...candidates])

const exampleMax = 60

/** Counts the separators of a column of tags. */
export function createSeparatorTally() {
  const byKey = new Map<string, UnknownSeparator>()
  return {
    look(value: string): void {
      if (value === '') return
      const bare = value.replaceAll(/"[^"]*"|\\./gs, '')
      for (const separator of candidates) {
        if (!bare.includes(separator)) continue
        const known = byKey.get(separator)
        if (known) known.count++
        // A copy: a slice would keep a whole piece of the file in memory.
        else
          byKey.set(separator, {
            separator,
            count: 1,
            example: Buffer.from(value.slice(0, exampleMax)).toString(),
          })
      }
    },
    /** The most frequent first; none where commas alone, or semicolons alone, divide the tags. */
    unknown(): UnknownSeparator[] {
      const [first, ...others] = [...byKey.values()].toSorted((a, b) => b.count - a.count)
      if (!first || (others.length === 0 && plainSeparators.includes(first.separator))) return []
      return [first, ...others]
    },
  }
}

/**
 * Splits the tags of one value; a backslash escapes a separator that belongs to a tag. A tag may
 * stand in quotes, as in the lists that Mailchimp writes into a value.
 */
export function splitTags(text: string, separators: string = plainSeparators): string[] {
  const tags: string[] = []
  for (let at = 0; at < text.length;) {
    const quoted = quotedTag(text, at, separators)
    const end = quoted?.end ?? endOfTag(text, at, separators)
    tags.push((quoted?.tag ?? unescaped(text.slice(at, end), separators)).trim())
    at = end + 1
  }
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

/** Writes the value that `splitTags` reads as these tags. */
export const joinTags = (tags: string[]): string =>
  tags.map((tag) => tag.replaceAll(/./gs, escaped)).join(',')

const escaped = (character: string): string =>
  special.has(character) ? `\\${character}` : character

const unescaped = (text: string, separators: string): string =>
  text.replaceAll(/\\(.)/gs, (whole, character: string) =>
    separators.includes(character) || special.has(character) ? character : whole,
  )

function endOfTag(text: string, from: number, separators: string): number {
  let at = from
  while (at < text.length && !separators.includes(text.charAt(at))) at += text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}

/** Null when no quote begins the tag, or none ends it. */
function quotedTag(
  text: string,
  from: number,
  separators: string,
): { tag: string; end: number } | null {
  const open = skipSpaces(text, from)
  if (text[open] !== '"') return null
  const close = text.indexOf('"', open + 1)
  const end = skipSpaces(text, close + 1)
  const isWhole = close !== -1 && (end === text.length || separators.includes(text.charAt(end)))
  return isWhole ? { tag: text.slice(open + 1, close), end } : null
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === ' ') at++
  return at
}
