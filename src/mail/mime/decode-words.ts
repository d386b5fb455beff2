/** Decodes the encoded words of a header (RFC 2047); undecodable ones stay as they are. */

/**
 * `=?charset*language?B or Q?text?=`; no two parts of the pattern can take the same character, so
 * no text takes long.
 */
const word = /=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([BQ])\?([^?\s]*)\?=/gi

export function decodeWords(value: string): string {
  // White space between two encoded words is not part of the text (6.2).
  return joined(value.replaceAll(/(\?=)[ \t]+(?==\?[^?\s]+\?[BQ]\?)/gi, '$1'))
}

/** Words side by side of one charset are one text: some programs divide a character between two. */
function joined(value: string): string {
  let [out, end] = ['', 0]
  let open: { charset: string; source: string; octets: Buffer[] } | null = null
  const close = (): void => {
    if (open) out += textOf(open)
    open = null
  }
  for (const { index, 0: source, 1: charset = '', 2: way = '', 3: text = '' } of value.matchAll(
    word,
  )) {
    if (index > end || open?.charset !== charset.toLowerCase()) close()
    out += value.slice(end, index)
    open ??= { charset: charset.toLowerCase(), source: '', octets: [] }
    open.source += source
    open.octets.push(way.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : fromQ(text))
    end = index + source.length
  }
  close()
  return out + value.slice(end)
}

/** RFC 2047 4.2. */
const fromQ = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replaceAll(/=([0-9A-F]{2})/gi, (_hex, octet: string) =>
        String.fromCharCode(Number.parseInt(octet, 16)),
      ),
    'latin1',
  )

function textOf({
  charset,
  source,
  octets,
}: {
  charset: string
  source: string
  octets: Buffer[]
}): string {
  try {
    return new TextDecoder(charset).decode(Buffer.concat(octets))
  } catch {
    return source
  }
}
