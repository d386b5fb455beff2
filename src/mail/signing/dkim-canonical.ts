/**
 * The relaxed canonical form of a message (RFC 6376 3.4.2, 3.4.4): a signature covers it, however
 * the mail was folded on its way.
 */

/**
 * The fields of each name, as they stand (folds included, without the last line end), in their
 * order. Names are lower case.
 */
export type HeaderFields = Map<string, string[]>

/**
 * Headers are read as Latin-1, one character an octet, so that UTF-8 in them (RFC 6532) goes
 * through unchanged.
 */
export function readHeaderFields(bytes: Buffer): { fields: HeaderFields; body: Buffer } {
  const end = bytes.indexOf('\r\n\r\n')
  const header = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
  const fields: HeaderFields = new Map()
  for (const field of header.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':')
    if (colon === -1) continue
    const name = field.slice(0, colon).replace(trailingSpace, '').toLowerCase()
    const same = fields.get(name)
    if (same) same.push(field)
    else fields.set(name, [field])
  }
  return { fields, body: end === -1 ? empty : bytes.subarray(end + 4) }
}

/**
 * RFC 6376 3.4.2: lower-case name, unfolded, white space as one space, none at the ends. Without
 * the last line end.
 */
export function canonicalField(field: string): string {
  const colon = field.indexOf(':')
  const name = field.slice(0, colon).replace(trailingSpace, '').toLowerCase()
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
  const from = value.startsWith(' ') ? 1 : 0
  return `${name}:${value.slice(from, value.endsWith(' ') ? Math.max(from, value.length - 1) : value.length)}`
}

/** A run of white space is read once, from its beginning. */
const trailingSpace = /(?<![ \t])[ \t]+$/
const empty = Buffer.alloc(0)

/**
 * RFC 6376 3.4.4: no white space at the ends of lines, one space for many, no empty lines at the
 * end.
 */
export function canonicalBody(body: Buffer): Buffer {
  // Encoded bodies are nearly always canonical: the hash reads them in place.
  return isRelaxed(body) ? withoutEmptyLines(body) : withoutEmptyLines(relax(body))
}

/** `Buffer.includes` is native, and mostly faster than a loop over the bytes. */
const isRelaxed = (body: Buffer): boolean =>
  !body.includes(tab) && !body.includes('  ') && !body.includes(' \r') && body.at(-1) !== space

function withoutEmptyLines(body: Buffer): Buffer {
  let end = body.length
  while (end >= 2 && body[end - 2] === cr && body[end - 1] === lf) end -= 2
  if (end === 0) return empty
  if (end + 2 <= body.length) return body.subarray(0, end + 2)
  return Buffer.concat([body, lineEnd])
}

/**
 * Holds white space back until the next character is known, because white space at a line's end is
 * dropped.
 */
function relax(body: Buffer): Buffer {
  const relaxed = Buffer.allocUnsafe(body.length)
  let length = 0
  let hasPendingSpace = false
  for (let at = 0; at < body.length; at++) {
    const octet = body[at] ?? 0
    if (octet === space || octet === tab) {
      hasPendingSpace = true
      continue
    }
    if (hasPendingSpace && !(octet === cr && body[at + 1] === lf)) relaxed[length++] = space
    hasPendingSpace = false
    relaxed[length++] = octet
  }
  return relaxed.subarray(0, length)
}

const tab = 0x09
const lf = 0x0a
const cr = 0x0d
const space = 0x20
const lineEnd = Buffer.from('\r\n')
