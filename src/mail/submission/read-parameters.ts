/**
 * Reads a MIME header with parameters: `text/plain; charset=utf-8` (RFC 2045 5.1), with values that
 * are continued or in another charset (RFC 2231), or encoded words as many programs write them.
 */
import { decodeWords } from '../mime/decode-words.ts'
import { decodeCharset } from './decode-charset.ts'

export interface ValueWithParameters {
  /** In lower case, such as `text/plain` or `attachment`. */
  value: string
  /** By names in lower case, decoded. */
  parameters: Map<string, string>
}

/** `text`: an unfolded header value. */
export function readParameters(text: string): ValueWithParameters {
  const semicolon = text.indexOf(';')
  const value = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase()
  const pieces = new Map<string, string>()
  if (semicolon !== -1)
    for (const [, name = '', quoted, plain = ''] of text.slice(semicolon).matchAll(parameter)) {
      const key = name.toLowerCase()
      if (!pieces.has(key) && pieces.size < parametersMax)
        pieces.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain.trim())
    }
  return { value, parameters: joined(pieces) }
}

const parametersMax = 100

/** Each alternative begins with another character, so that no text takes long. */
const parameter = /;[ \t]*([^\s=;"]{1,80})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

function joined(pieces: Map<string, string>): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [key, text] of pieces) {
    const [, name = '', first] = /^([^*]+)(\*0?)?(?:\*)?$/.exec(key) ?? []
    if (name === '' || parameters.has(name)) continue
    if (first === undefined) parameters.set(name, decodeWords(text))
    else parameters.set(name, continued(name, pieces))
  }
  return parameters
}

/** RFC 2231 3 and 4: `name*`, or `name*0`, `name*1*`, …; a star at the end says percent-encoded. */
function continued(name: string, pieces: Map<string, string>): string {
  const whole = pieces.get(`${name}*`)
  const texts: { text: string; isEncoded: boolean }[] = []
  if (whole !== undefined) texts.push({ text: whole, isEncoded: true })
  else
    for (let index = 0; ; index++) {
      const encoded = pieces.get(`${name}*${index}*`)
      const text = encoded ?? pieces.get(`${name}*${index}`)
      if (text === undefined) break
      texts.push({ text, isEncoded: encoded !== undefined })
    }
  const [, charset = 'utf-8', rest] =
    (texts[0]?.isEncoded && /^([^']*)'[^']*'(.*)$/s.exec(texts[0].text)) || []
  if (texts[0] && rest !== undefined) texts[0].text = rest
  const bytes = texts.map(({ text, isEncoded }) =>
    isEncoded ? fromPercents(text) : Buffer.from(text),
  )
  return decodeCharset(Buffer.concat(bytes), charset || 'utf-8')
}

const fromPercents = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9A-F]{2})/gi, (_code, octet: string) =>
      String.fromCharCode(Number.parseInt(octet, 16)),
    ),
    'latin1',
  )
