/**
 * Quoted-printable in pieces (RFC 2045 6.7): a template's texts are encoded separately and
 * concatenated.
 */

/** One column stays free for the `=` of a soft break. */
export const columnMax = 75

export interface EncodedPiece {
  /** ASCII; line feeds have become CRLF. */
  text: string
  /** Where the next piece begins. */
  column: number
}

/**
 * Encodes a piece that begins at a column of its line. More follows on the line where the piece
 * ends: a letter, or at least a soft break. So blanks at its end stay, but an `F` at a line's start
 * is encoded whenever `From ` could come of it, which mbox files change, and a dot at a line's
 * start, which SMTP would have to double (RFC 5321 4.5.2).
 */
export function encodePiece(piece: string, start: number): EncodedPiece {
  const bytes = Buffer.from(piece)
  let column = start
  let text = ''
  for (let i = 0; i < bytes.length; i++) {
    const octet = bytes[i] ?? 0
    if (octet === lf || octet === cr) {
      if (octet === cr && bytes[i + 1] === lf) i++
      text += '\r\n'
      column = 0
      continue
    }
    const endsLine = bytes[i + 1] === lf || bytes[i + 1] === cr
    const atStart = column === 0 || column + (isLiteral(octet) ? 1 : 3) > columnMax
    const code =
      isEscaped(octet, endsLine) || (atStart && (octet === dot || mayBeginFrom(bytes, i)))
        ? codes[octet]
        : String.fromCharCode(octet)
    if (code === undefined) continue
    if (column + code.length > columnMax) {
      text += '=\r\n'
      column = 0
    }
    text += code
    column += code.length
  }
  return { text, column }
}

const lf = 0x0a
const cr = 0x0d
const dot = 0x2e

const codes: readonly string[] = Array.from(
  { length: 256 },
  (_, octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`,
)

const isBlank = (octet: number): boolean => octet === 0x20 || octet === 0x09

const isLiteral = (octet: number): boolean =>
  isBlank(octet) || (octet > 0x20 && octet < 0x7f && octet !== 0x3d)

const isEscaped = (octet: number, endsLine: boolean): boolean =>
  !isLiteral(octet) || (endsLine && isBlank(octet))

function mayBeginFrom(bytes: Buffer, at: number): boolean {
  const next = bytes.toString('latin1', at, at + 5)
  return 'From '.startsWith(next)
}
