/** The commands of one mail transaction, and why an envelope cannot be put to this peer at all. */
import { isAscii } from 'node:buffer'
import type { SmtpEnvelope } from './outcome.ts'

/** What the peer said in its reply to EHLO (RFC 5321 4.1.1.1); all false or empty after HELO. */
export interface Offers {
  /** RFC 2920. */
  pipelining: boolean
  /** RFC 3207. */
  startTls: boolean
  /** RFC 1870: the largest message in octets, 0 for "no fixed limit", null when not offered. */
  size: number | null
  /** RFC 6152. */
  eightBitMime: boolean
  /** RFC 6531. */
  smtpUtf8: boolean
  /** RFC 4954: the mechanisms, upper case. */
  auth: readonly string[]
}

/** Reads the lines of the reply to EHLO; the first is the peer's name. Unknown keywords are left alone. */
export function readOffers(lines: readonly string[]): Offers {
  const words = lines.slice(1).map((line) => line.trim().toUpperCase().split(/\s+/))
  const find = (keyword: string): string[] | undefined => words.find(([first]) => first === keyword)
  const size = find('SIZE')
  return {
    pipelining: find('PIPELINING') !== undefined,
    startTls: find('STARTTLS') !== undefined,
    size: size === undefined ? null : Number(/^\d{1,15}$/.exec(size[1] ?? '')?.[0] ?? 0),
    eightBitMime: find('8BITMIME') !== undefined,
    smtpUtf8: find('SMTPUTF8') !== undefined,
    auth: find('AUTH')?.slice(1) ?? [],
  }
}

/** MAIL FROM with the parameters that the peer offers: SIZE (RFC 1870 6), BODY (RFC 6152 2), SMTPUTF8 (RFC 6531 3.4). */
export function mailCommand(envelope: SmtpEnvelope, offers: Offers): string {
  const size = offers.size === null ? '' : ` SIZE=${envelope.bytes.length}`
  const body = offers.eightBitMime && !isAscii(envelope.bytes) ? ' BODY=8BITMIME' : ''
  return `MAIL FROM:<${envelope.returnPath}>${size}${body}${envelope.utf8 ? ' SMTPUTF8' : ''}\r\n`
}

export function rcptCommand(envelope: SmtpEnvelope): string {
  return `RCPT TO:<${envelope.recipient}>\r\n`
}

/** The reason why this envelope cannot be given to a peer with these offers, or null. Nothing has been sent then. */
export function whyNotSendable(envelope: SmtpEnvelope, offers: Offers): string | null {
  if (!isOneLine(envelope.returnPath) || !isOneLine(envelope.recipient))
    return 'an address of the envelope holds a control character'
  if (envelope.utf8 && !offers.smtpUtf8) return 'the peer does not offer SMTPUTF8, which the addresses need'
  if (!envelope.utf8 && !isAddressAscii(envelope)) return 'an address of the envelope is not ASCII'
  if (!offers.eightBitMime && !isAscii(envelope.bytes)) return 'the peer does not offer 8BITMIME, which the content needs'
  const limit = offers.size ?? 0
  if (limit > 0 && envelope.bytes.length > limit)
    return `the message has ${envelope.bytes.length} octets, the peer takes ${limit}`
  return null
}

/** A line end in an address would be a command of its own. The address parser lets none through; this is the last door. */
function isOneLine(address: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\u0000-\u001f\u007f]/.test(address)
}

function isAddressAscii(envelope: SmtpEnvelope): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[^\u0000-\u007f]/.test(envelope.returnPath + envelope.recipient)
}
