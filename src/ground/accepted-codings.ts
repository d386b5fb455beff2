/** Reads which compressed forms of an answer a caller takes. */

/** The codings that a caller accepts; weight 0 refuses one (RFC 9110 12.5.3). */
export function acceptedCodings(header: string | string[] | undefined): Set<string> {
  const wishes = String(header ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
  return new Set(
    wishes
      .filter((wish) => !/;\s*q=0(?:\.0*)?$/.test(wish))
      .map((wish) => wish.split(';', 1)[0] ?? ''),
  )
}
