/**
 * Decides whether a temporary refusal asks for a slower pace. A refusal about the recipient's
 * address or mailbox never does (RFC 3463 3.2, 3.3).
 */

interface Refused {
  code: number | null
  response: string
}

/**
 * Whether it means "slower" for all mail: 421 (RFC 5321 3.8), the codes of overload and of rate
 * limits, or what servers say in words.
 */
export function saysSlower({ code, response }: Refused): boolean {
  if (code === null) return false
  if (code === 421) return true
  const enhanced = enhancedOf(response)
  if (/^4\.[12]\./.test(enhanced)) return false
  return paceCodes.has(enhanced) || speaksOfPace.test(withoutAddresses(response))
}

/**
 * The same of a server that takes mail for its own users only. There any 4.7.x concerns our sending
 * (RFC 3463 3.8), except grey listing: it concerns one message and passes by itself (RFC 6647).
 */
export function limitsSender(refused: Refused): boolean {
  if (saysSlower(refused)) return true
  const { code, response } = refused
  const enhanced = enhancedOf(response)
  return (
    code !== null &&
    code < 500 &&
    enhanced.startsWith('4.7.') &&
    !isGreylisting(enhanced, withoutAddresses(response))
  )
}

/** Some servers answer only 4.7.1 and "try again". */
const isGreylisting = (enhanced: string, words: string): boolean =>
  /gr[ea]y-?\s?list|postgrey/i.test(words) ||
  (enhanced === '4.7.1' && /\btry again\b|\bretry\b/i.test(words))

const enhancedOf = (response: string): string =>
  /^\d{3}[ -](4\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? ''

/** An echoed address may hold any word. */
const withoutAddresses = (response: string): string =>
  response.replaceAll(/<[^<>]*>|(?<![^\s<>])[^\s<>]*@[^\s<>]*/g, ' ')

/**
 * RFC 3463 3.4: the system takes no messages now; Gmail's rate limits of an address and of a sender
 * without authentication.
 */
const paceCodes = new Set(['4.3.2', '4.7.28', '4.7.650'])

const speaksOfPace = /\btoo (?:many|fast|much)\b|\brates?\b|\brate-?limit|\bthrottl(?:e|ed|ing)\b/i
