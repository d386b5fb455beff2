/** Reads the headers of a mail: unfolded, in order (RFC 5322 2.2.3), and decoded for display. */
import { decodeWords } from '../../mail/mime/decode-words.ts'

/** If `decoded` is null, it contains nothing to decode. */
export interface ReadHeaderLine {
  name: string
  value: string
  decoded: string | null
}

/** Bytes of the header section that are read. */
const headMax = 100_000

export function readHeaderLines(mail: Buffer): ReadHeaderLine[] {
  const [head = ''] = mail.subarray(0, headMax).toString('utf8').split('\r\n\r\n', 1)
  return head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) return []
      const value = line.slice(colon + 1).trim()
      const decoded = decodeWords(value)
      return [{ name: line.slice(0, colon), value, decoded: decoded === value ? null : decoded }]
    })
}
