/**
 * The parts of an author's HTML that a mail may contain. Everything else is removed: scripts,
 * forms, frames, handlers, refreshes.
 */
import { wordSet } from '../../ground/words.ts'

/**
 * The mail leaves these out with their content, which is no text of the mail, or which each client
 * reads differently.
 */
export const droppedWhole = wordSet(`
  script iframe object embed applet noscript noembed noframes frameset frame template xmp plaintext textarea select datalist
  math svg base link title audio video canvas dialog
`)

/**
 * Kept elements. Any other element is removed, and its content stays: the text inside a form is
 * still text.
 */
export const keptElements = wordSet(`
  a abbr address area article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em
  figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main map mark nav ol p picture pre q rp rt ruby s
  samp section small source span strike strong style sub sup table tbody td tfoot th thead time tr tt u ul var wbr meta
`)

const keptAttributes = wordSet(`
  abbr align alt axis background bgcolor border cellpadding cellspacing cite class clear color cols colspan content coords
  datetime dir face headers height href hspace id lang media name noshade nowrap rel reversed role rowspan scope shape size
  sizes span src srcset start style summary target title type usemap valign value vspace width link vlink text
`)

export const isKeptAttribute = (name: string): boolean =>
  keptAttributes.has(name) || /^(?:aria|data)-[a-z0-9-]{1,40}$/.test(name)

/**
 * Kept elements of the head: those that control layout and colours in clients. The others are ours
 * to write, or a refresh in disguise.
 */
export const keptMeta: ReadonlySet<string> = new Set([
  ...[
    'color-scheme',
    'supported-color-schemes',
    'format-detection',
    'x-apple-disable-message-reformatting',
  ],
])

/** Ways in which old clients ran programs out of a style. */
const activeStyle = /expression\s*\(|javascript\s*:|vbscript\s*:|behavior\s*:|-moz-binding/i

/** Escapes and comments are no hiding place (CSS Syntax 4.3.7). */
export const isSafeStyle = (css: string): boolean =>
  !activeStyle.test(css.replace(/\/\*.*?\*\//gs, '').replace(/\\([0-9a-f]{1,6})\s?|\\/gi, unescape))

function unescape(_: string, code: string | undefined): string {
  const point = code === undefined ? 0 : parseInt(code, 16)
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

/** The pictures of a `srcset`, where each address is one to keep; else null. */
export function keepSet(value: string, isKept: (address: string) => boolean): string | null {
  const candidates = value.split(/,\s+/).map((candidate) => candidate.trim().split(/\s+/))
  return candidates.every(([address = '']) => isKept(address))
    ? candidates.map((parts) => parts.join(' ')).join(', ')
    : null
}
