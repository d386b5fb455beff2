/**
 * Takes a mail of a stranger apart into the parts of its MIME tree (RFC 2045, RFC 2046), as bytes:
 * a mail within a mail stays as it was signed. The work grows with the mail's length alone, and
 * parts, depth and headers have limits.
 */
import { readHeaderFields, type HeaderFields } from '../signing/dkim-canonical.ts'

/** A part without parts of its own. */
export interface MimePart {
  /** Such as `message/rfc822`, in lower case. */
  type: string
  /** The decoded content; the encoding is undone at each call. */
  content(): Buffer
}

export interface TakenApart {
  fields: HeaderFields
  /** What follows the header. */
  body: Buffer
  /** Content-Type of the whole, with its parameters, in lower case. */
  contentType: string
  parts: MimePart[]
}

/** A report has three parts, or four where something forwarded it. */
const partsMax = 50
const depthMax = 5
/** Places that look like a boundary: each costs more to check than its bytes cost to pass over. */
const candidatesMax = 2_000
/** Bytes of the header of a mail or a part. */
const headerMax = 256_000

/** Throws when the mail has too many parts, is nested too deep, or its headers are too long. */
export function takeApart(raw: Buffer): TakenApart {
  const parts: MimePart[] = []
  const { fields, body } = splitMail(raw)
  collect({ fields, body }, 1, parts)
  return { fields, body, contentType: headerValue(fields, 'content-type').toLowerCase(), parts }
}

/**
 * A mail, or a part of one, that begins with its body has no header. Throws when the header is too
 * long.
 */
export function splitMail(raw: Buffer): { fields: HeaderFields; body: Buffer } {
  if (raw[0] === 13 && raw[1] === 10) return { fields: new Map(), body: raw.subarray(2) }
  const end = raw.indexOf('\r\n\r\n')
  if ((end === -1 ? raw.length : end) > headerMax)
    throw new Error(`a header of more than ${headerMax} bytes`)
  return readHeaderFields(raw)
}

/** The value of the first field of that name, unfolded; empty where there is none. */
export function headerValue(fields: HeaderFields, name: string): string {
  const field = fields.get(name)?.[0] ?? ''
  return field
    .slice(field.indexOf(':') + 1)
    .replaceAll(/\r\n[ \t]*/g, ' ')
    .trim()
}

/**
 * The domain of From, in lower case: what a mail says of its sender, good enough for a label.
 * Empty if there is none.
 */
export const domainOfFrom = (fields: HeaderFields): string =>
  /@([a-z0-9.-]{1,253})>?\s*$/i.exec(headerValue(fields, 'from'))?.[1]?.toLowerCase() ?? ''

function collect(
  { fields, body }: Pick<TakenApart, 'fields' | 'body'>,
  depth: number,
  parts: MimePart[],
): void {
  const contentType = headerValue(fields, 'content-type')
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType)?.[0].toLowerCase() ?? 'text/plain'
  const boundary = type.startsWith('multipart/') ? boundaryOf(contentType) : null
  if (boundary === null) {
    if (parts.length >= partsMax) throw new Error(`more than ${partsMax} parts`)
    const encoding = headerValue(fields, 'content-transfer-encoding').toLowerCase()
    parts.push({ type, content: () => decodeTransfer(body, encoding) })
    return
  }
  if (depth >= depthMax) throw new Error(`nested deeper than ${depthMax}`)
  for (const part of splitAt(body, boundary)) collect(splitMail(part), depth + 1, parts)
}

/** RFC 2046 5.1.1: 1 to 70 characters. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] =
    /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain ?? null
}

/**
 * The line end before a boundary belongs to the boundary. An end that is missing is the end of the
 * mail.
 */
export function splitAt(body: Buffer, boundary: string, max = partsMax): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1')
  const matches: Buffer[] = []
  let from: number | null = null
  let candidates = 0
  for (
    let at = body.indexOf(delimiter);
    at !== -1;
    at = body.indexOf(delimiter, at + delimiter.length)
  ) {
    if (++candidates > candidatesMax)
      throw new Error(`more than ${candidatesMax} lines like a boundary`)
    const isLine = at === 0 || body[at - 1] === 10
    const lineEnd = body.indexOf('\n', at + delimiter.length)
    const rest = body.toString(
      'latin1',
      at + delimiter.length,
      lineEnd === -1 ? body.length : Math.min(lineEnd, at + delimiter.length + 80),
    )
    if (!isLine || !/^(?:--)?\s*$/.test(rest)) continue
    if (from !== null)
      matches.push(body.subarray(from, Math.max(from, at - (body[at - 2] === 13 ? 2 : 1))))
    from = rest.startsWith('--') || lineEnd === -1 ? null : lineEnd + 1
    if (matches.length > max) throw new Error(`more than ${max} parts`)
    if (from === null) return matches
  }
  return from === null ? matches : [...matches, body.subarray(from)]
}

/** RFC 2045 6: everything but these is as it is. */
export function decodeTransfer(body: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body
}

/**
 * RFC 2045 6.7; what is no code stays. White space at the end of a line is read once, from its
 * beginning.
 */
function decodeQuotedPrintable(body: Buffer): Buffer {
  const text = body.toString('latin1')
  return Buffer.from(
    text.replaceAll(
      /(?<![ \t])[ \t]*(?:=[ \t]*)?\r\n|=([0-9A-F]{2})/gi,
      (result, code: string | undefined) => {
        if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
        return result.includes('=') ? '' : '\r\n'
      },
    ),
    'latin1',
  )
}
