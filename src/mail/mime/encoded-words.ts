/**
 * Encoded words (RFC 2047): any text as ASCII words of at most 75 characters; no word splits a
 * character.
 */

/** Characters left for the text once `=?UTF-8?Q?` and `?=` are paid for. */
const frame = '=?UTF-8?Q??='.length

/** RFC 2047 2. */
const wordMax = 75

/**
 * The words to put after one another, with a space or a fold between: readers drop what stands
 * between two of them. Q or B, whichever is shorter. Only the characters that RFC 2047 5(3) allows
 * in a phrase stand for themselves, so the words are good in every header. `firstMax` (≥ 32) is the
 * room on the header's first line, `max` the room on the others.
 */
export function encodeWords(text: string, { firstMax = wordMax, max = wordMax } = {}): string[] {
  const bytes = Buffer.from(text)
  const encoding = qLength(bytes, 0, bytes.length) <= base64Length(bytes.length) ? 'Q' : 'B'
  const words: string[] = []
  for (let start = 0; start < bytes.length;) {
    const room = (words.length === 0 ? Math.min(firstMax, wordMax) : max) - frame
    let end = start
    let length = 0
    while (end < bytes.length && length <= room) {
      const next = afterCharacter(bytes, end)
      length = encoding === 'Q' ? length + qLength(bytes, end, next) : base64Length(next - start)
      if (length <= room) end = next
    }
    words.push(
      `=?UTF-8?${encoding}?${encoding === 'Q' ? toQ(bytes, start, end) : bytes.toString('base64', start, end)}?=`,
    )
    start = end
  }
  return words
}

const base64Length = (octets: number): number => Math.ceil(octets / 3) * 4

const continues = (octet: number | undefined): boolean =>
  octet !== undefined && (octet & 0xc0) === 0x80

/** One past the UTF-8 sequence that begins at `at`. */
function afterCharacter(bytes: Buffer, at: number): number {
  let end = at + 1
  while (continues(bytes[end])) end++
  return end
}

/** RFC 2047 4.2: `_` for the space, `=XX` for what may not stand for itself. */
const qCodes: string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet)
  if (octet === 0x20) return '_'
  return /[A-Za-z0-9!*+/-]/.test(character)
    ? character
    : `=${octet.toString(16).toUpperCase().padStart(2, '0')}`
})

function qLength(bytes: Buffer, start: number, end: number): number {
  let length = 0
  for (let i = start; i < end; i++) length += qCodes[bytes[i] ?? 0]?.length ?? 0
  return length
}

function toQ(bytes: Buffer, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) text += qCodes[bytes[i] ?? 0]
  return text
}
