/**
 * Reads a domain's policy of transport security (RFC 8461 3.1, 3.2), and checks hosts against it
 * (4.1).
 */

export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none'
  /** Host names, and patterns as `*.example.com`; lower case. */
  mx: string[]
  maxAgeSeconds: number
}

/** RFC 8461 3.2: about a year. */
const maxAgeMax = 31_557_600

/**
 * The id of the one TXT record; null where there is none, or more than one, or it cannot be read:
 * then there is no policy.
 */
export function readStsId(texts: readonly string[]): string | null {
  const [record, ...others] = texts.filter((text) => /^v=STSv1\s*(;|$)/.test(text))
  if (record === undefined || others.length > 0) return null
  return /;\s*id=([A-Za-z0-9]{1,32})\s*(?:;|$)/.exec(record)?.[1] ?? null
}

/**
 * Null when it is no policy. Unknown keys are ignored; of a key that comes twice the first counts,
 * but for `mx`.
 */
export function readStsPolicy(text: string): StsPolicy | null {
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  const pairs = lines.map((line) =>
    /^([A-Za-z0-9][\w.-]{0,31})[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line),
  )
  const first = (key: string): string | undefined => pairs.find((pair) => pair?.[1] === key)?.[2]
  const mode = first('mode')
  const maxAge = first('max_age') ?? ''
  const mx = pairs.flatMap((pair) =>
    pair?.[1] === 'mx' && pair[2] ? [pair[2].toLowerCase().replace(/\.$/, '')] : [],
  )
  if (first('version') !== 'STSv1' || !/^\d{1,10}$/.test(maxAge)) return null
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null
  if (mode !== 'none' && mx.length === 0) return null
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), maxAgeMax) }
}

/** `*.` stands for exactly one label (RFC 8461 4.1, RFC 6125 6.4.3). */
export function matchesSts(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.')
      ? host.slice(host.indexOf('.')) === pattern.slice(1) && host.includes('.')
      : host === pattern,
  )
}
