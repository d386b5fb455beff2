/** The headers of a mail as people read them: unfolded, in their order (RFC 5322 2.2.3). */

/** Octets of header section that are looked at. */
const headMax = 100_000

export function readHeaderLines(mail: Buffer): { name: string; value: string }[] {
  const [head = ''] = mail.subarray(0, headMax).toString('utf8').split('\r\n\r\n', 1)
  return head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [{ name: line.slice(0, colon), value: line.slice(colon + 1).trim() }]
    })
}
