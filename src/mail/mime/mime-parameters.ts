/**
 * Parameters of MIME headers: plain where ASCII is enough, RFC 2231 with continuations otherwise.
 */
import { foldWords } from './header-lines.ts'

/**
 * A structured MIME header, folded between its parameters: `Content-Type: text/plain;
 * charset=utf-8`.
 */
export function parameterHeader(
  name: string,
  value: string,
  parameters: ReadonlyArray<readonly [string, string]>,
): string {
  const pieces = [value, ...parameters.flatMap(([key, text]) => toParameters(key, text))]
  return foldWords(
    name,
    pieces.map((piece, i) => (i === pieces.length - 1 ? piece : `${piece};`)),
  )
}

/**
 * An ASCII stand-in for a file name, for readers that look only at the `name` of Content-Type and
 * do not know RFC 2231. Accents are dropped, the rest becomes `_`; the ending survives.
 */
export function toAsciiName(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x20-\x7e]|["\\]/gu, '_')
    .replaceAll('=?', '=_')
    .replace(/ {2,}/g, ' ')
    .trim()
  if (ascii.length <= plainMax) return ascii
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(ascii)?.[0] ?? ''
  return ascii.slice(0, plainMax - ending.length).trim() + ending
}

/** Quoted strings beyond this would not fit a line with their name. */
const plainMax = 56

function toParameters(key: string, text: string): string[] {
  if (/^[A-Za-z0-9!#$&+.^_`{|}~-]+$/.test(text) && text.length <= plainMax)
    return [`${key}=${text}`]
  if (isPlain(text)) return [`${key}="${text}"`]
  const segments = toSegments(text)
  if (segments.length === 1) return [`${key}*=UTF-8''${segments[0]}`]
  return segments.map((segment, i) => `${key}*${i}*=${i === 0 ? "UTF-8''" : ''}${segment}`)
}

/**
 * Readers differ on `\"` inside a quoted string, and some decode encoded words there: such texts
 * take the other road.
 */
function isPlain(text: string): boolean {
  return text.length <= plainMax && !/[^\x20-\x7e]|["\\]|=\?|^ | $|  /.test(text)
}

/** Percent-encoded (RFC 2231 7), cut so that each fits a line and no character is cut in two. */
function toSegments(text: string): string[] {
  const segments: string[] = []
  let segment = ''
  for (const character of text.toWellFormed()) {
    const code = /[A-Za-z0-9!#$&+.^_`{|}~-]/.test(character) ? character : percentEncode(character)
    if (segment.length + code.length > plainMax - 8) {
      segments.push(segment)
      segment = ''
    }
    segment += code
  }
  return [...segments, segment]
}

function percentEncode(character: string): string {
  let text = ''
  for (const octet of Buffer.from(character))
    text += `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
  return text
}
