/**
 * Content transfer encodings (RFC 2045 6): make any body safe for 7-bit transport with lines of at
 * most 76 characters.
 */

export interface EncodedBody {
  encoding: '7bit' | 'quoted-printable' | 'base64'
  /**
   * ASCII, lines end in CRLF, the last line in nothing unless the text's did. Never holds `=_`, so
   * no boundary of ours.
   */
  bytes: Buffer
}

const lineMax = 76

/**
 * A text body: as it is when it already is harmless, else quoted-printable, or base64 where most is
 * outside ASCII. Line ends become CRLF. ASCII, and what is nearly as short legible, stays legible:
 * filters distrust base64 that nothing called for.
 */
export function encodeText(text: string): EncodedBody {
  const bytes = Buffer.from(text)
  const ascii = bytes.length === text.length
  if (ascii && isHarmless(bytes)) return { encoding: '7bit', bytes: withCrlf(text, bytes) }
  const printable = toQuotedPrintable(bytes)
  if (ascii || printable.length <= 1.2 * base64Length(bytes.length))
    return { encoding: 'quoted-printable', bytes: printable }
  return { encoding: 'base64', bytes: toBase64(withCrlf(text, bytes)) }
}

const tab = 0x09
const lf = 0x0a
const cr = 0x0d
const space = 0x20

/**
 * ASCII that no relay or mailbox file is known to change: short lines, no blanks at their ends, no
 * `From ` at their start.
 */
function isHarmless(ascii: Buffer): boolean {
  let column = 0
  let previous = 0
  for (let i = 0; i < ascii.length; i++) {
    const octet = octetAt(ascii, i)
    if (octet === lf || octet === cr) {
      if (previous === space || previous === tab) return false
      column = 0
    } else {
      if ((octet < space && octet !== tab) || octet === 0x7f || ++column > lineMax) return false
      if (octet === underscore && previous === equals) return false
      if (column === 1 && beginsFrom(ascii, i)) return false
    }
    previous = octet
  }
  return previous !== space && previous !== tab
}

const underscore = 0x5f
const equals = 0x3d

/**
 * For an index that the caller has kept below the length; a check in these loops would double their
 * price.
 */
const octetAt = (octets: Uint8Array, i: number): number => octets[i] as number

/** `From ` at a line's start gets a `>` in mbox files, which breaks signatures. */
const beginsFrom = (bytes: Buffer, i: number): boolean =>
  bytes[i] === 0x46 &&
  bytes[i + 1] === 0x72 &&
  bytes[i + 2] === 0x6f &&
  bytes[i + 3] === 0x6d &&
  bytes[i + 4] === space

function withCrlf(text: string, bytes: Buffer): Buffer {
  return /\r(?!\n)|(?<!\r)\n/.test(text) ? Buffer.from(text.replace(/\r\n?|\n/g, '\r\n')) : bytes
}

/** The kinds of octets in quoted-printable. */
const literal = 0
const escaped = 1
const blank = 2
const lineEnd = 3

const kinds = Uint8Array.from({ length: 256 }, (_, octet) => {
  if (octet === cr || octet === lf) return lineEnd
  if (octet === space || octet === tab) return blank
  return octet > space && octet < 0x7f && octet !== equals ? literal : escaped
})

const hexDigits = Buffer.from('0123456789ABCDEF')

/** Kept between calls: the worst case is far longer than the usual one. */
let scratch: Buffer = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Quoted-printable (RFC 2045 6.7). Any line end becomes CRLF; blanks at a line's end and `From ` at
 * its start are encoded.
 */
function toQuotedPrintable(bytes: Buffer): Buffer {
  // Three for each octet, three more for the soft break that each 73 of these may need.
  const worst = Math.ceil(bytes.length * 3 * (1 + 3 / 73)) + 16
  if (scratch.length < worst) scratch = Buffer.allocUnsafeSlow(worst)
  const out = scratch
  const length = bytes.length
  let at = 0
  let column = 0
  for (let i = 0; i < length; i++) {
    const octet = octetAt(bytes, i)
    let kind = octetAt(kinds, octet)
    if (kind === lineEnd) {
      if (octet === cr && bytes[i + 1] === lf) i++
      out[at++] = cr
      out[at++] = lf
      column = 0
      continue
    }
    if (kind === blank && (i + 1 === length || kinds[octetAt(bytes, i + 1)] === lineEnd))
      kind = escaped
    // One column stays free for the `=` of a soft break.
    if (column + (kind === escaped ? 3 : 1) > lineMax - 1) {
      out[at++] = equals
      out[at++] = cr
      out[at++] = lf
      column = 0
    }
    if (kind === escaped || (column === 0 && octet === 0x46 && beginsFrom(bytes, i))) {
      out[at++] = equals
      out[at++] = octetAt(hexDigits, octet >> 4)
      out[at++] = octetAt(hexDigits, octet & 15)
      column += 3
    } else {
      out[at++] = octet
      column++
    }
  }
  return Buffer.from(out.subarray(0, at))
}

/** Bytes of `toBase64`'s answer. */
function base64Length(octets: number): number {
  const characters = Math.ceil(octets / 3) * 4
  return characters + 2 * Math.max(0, Math.ceil(characters / lineMax) - 1)
}

/** Base64 in lines of 76 (RFC 2045 6.8). */
export function toBase64(content: Buffer): Buffer {
  const out = Buffer.allocUnsafe(base64Length(content.length))
  let at = 0
  for (let i = 0; i < content.length; i += 57) {
    if (i > 0) {
      out[at++] = cr
      out[at++] = lf
    }
    at += out.write(content.toString('base64', i, i + 57), at, 'latin1')
  }
  return out
}
