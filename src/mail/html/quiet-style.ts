/**
 * Removes everything from a style that loads something: it checks each address, and drops rules
 * that fetch in other ways.
 */

/** The replacement where a mail names a picture by an address. Null means nothing. */
export type PictureAt = (address: string) => string | null

/** Browsers skip every other rule that begins with `@` (CSS Syntax 5.4.2). */
const keptRules = new Set([
  '@media',
  '@supports',
  '@keyframes',
  '@-webkit-keyframes',
  '@layer',
  '@container',
  '@page',
])

/** Take an address as a mere string, too (CSS Images 4, CSS Values 5). */
const fetching = new Set([
  'src(',
  'image(',
  'image-set(',
  '-webkit-image-set(',
  'url-prefix(',
  'domain(',
  'attr(',
])

export function quietStyle(css: string, pictureAt: PictureAt): string {
  // Most styles need no check.
  if (!/[@(\\]/.test(css)) return css
  let written = ''
  for (let at = 0; at < css.length;) {
    const begin = at
    at = tokenEnd(css, begin)
    const token = css.slice(begin, at)
    if (!isName.test(token)) {
      written += token.startsWith('/*') ? ' ' : token
      continue
    }
    const name = unescape(token).toLowerCase() + (css[at] === '(' ? '(' : '')
    if (name === 'url(') {
      const { address, end } = readAddress(css, at + 1)
      written += address === null ? 'none-' : writeAddress(address, pictureAt)
      at = end
    } else if (fetching.has(name)) written += 'none-'
    else if (name.startsWith('@') && !keptRules.has(name.replace('(', ''))) written += '@none'
    else written += token
  }
  return written
}

const isName = /^@?[-\w\u0080-\uffff\\]/
const rest = /[^"'\\/@\w\u0080-\uffff-]+|[^]/y
const nameRun = /[-\w\u0080-\uffff]*/y
const bareRun = /[^"'()\\\t\n\f\r ]*/y
const escape = /\\(?:[0-9a-f]{1,6}(?:\r\n|[\t\n\f\r ])?|[^\n\r\f])/iy
const space = /[\t\n\f\r ]*/y

/** Comments, strings, names with their escapes, and what stands between them (CSS Syntax 4.3.1). */
function tokenEnd(css: string, at: number): number {
  const first = css[at] ?? ''
  if (first === '"' || first === "'") return stringEnd(css, at)
  if (css.startsWith('/*', at)) {
    const end = css.indexOf('*/', at + 2)
    return end === -1 ? css.length : end + 2
  }
  const end = runEnd(css, first === '@' ? at + 1 : at, nameRun)
  return end > at ? end : matchEnd(css, at, rest)
}

/** Where a closing quote, or the line, ends. */
function stringEnd(css: string, begin: number): number {
  const stop = css[begin] === '"' ? /["\\\n\r\f]/g : /['\\\n\r\f]/g
  for (stop.lastIndex = begin + 1; ;) {
    const match = stop.exec(css)
    if (!match) return css.length
    if (match[0] === '\\') stop.lastIndex = match.index + 2
    else return match[0] === css[begin] ? match.index + 1 : match.index
  }
}

/** Pieces of a kind, with escapes between them. */
function runEnd(css: string, begin: number, run: RegExp): number {
  for (let at = begin; ;) {
    const end = matchEnd(css, matchEnd(css, at, run), escape)
    if (css[end - 1] === undefined || end === matchEnd(css, at, run)) return end
    at = end
  }
}

function matchEnd(css: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at
  return at + (pattern.exec(css)?.[0].length ?? 0)
}

/**
 * Reads the address behind `url(`, in quotes or not (CSS Syntax 4.3.6). Null without one: the
 * bracket is then plain.
 */
function readAddress(css: string, begin: number): { address: string | null; end: number } {
  const at = matchEnd(css, begin, space)
  const isQuoted = css[at] === '"' || css[at] === "'"
  const end = isQuoted ? stringEnd(css, at) : runEnd(css, at, bareRun)
  const close = matchEnd(css, end, space)
  if (css[close] !== ')' || (isQuoted && css[end - 1] !== css[at]))
    return { address: null, end: begin - 1 }
  return {
    address: unescape(isQuoted ? css.slice(at + 1, end - 1) : css.slice(at, end)),
    end: close + 1,
  }
}

/** A place on the page itself, such as a filter, is no address. */
function writeAddress(address: string, pictureAt: PictureAt): string {
  const shown = address.trim().startsWith('#') ? address : pictureAt(address)
  return shown === null
    ? 'none'
    : `url("${shown.replaceAll(/["\\\n\r\f]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}")`
}

/** CSS Syntax 4.3.7. */
const unescape = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(
        /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[^]))/gi,
        (_, code?: string, character = '') => {
          if (code === undefined) return /^[\n\r\f]/.test(character) ? '' : character
          const point = parseInt(code, 16)
          return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd'
        },
      )
    : text
