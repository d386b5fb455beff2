/**
 * The commands of one mail transaction, and the reasons why this peer cannot take an envelope at
 * all.
 */
import { isAscii } from 'node:buffer'
import type { SmtpEnvelope } from './outcome.ts'

/**
 * The peer's extensions from its reply to EHLO (RFC 5321 4.1.1.1); all false or empty after HELO.
 */
export interface Offers {
  /** RFC 2920. */
  pipelining: boolean
  /** RFC 3207. */
  startTls: boolean
  /** RFC 1870: the largest message in bytes, 0 for "no fixed limit", null when not offered. */
  size: number | null
  /** RFC 6152. */
  eightBitMime: boolean
  /** RFC 6531. */
  smtpUtf8: boolean
  /** RFC 3461. */
  dsn: boolean
  /** RFC 4954: the mechanisms, upper case. */
  auth: readonly string[]
}

/**
 * Reads the lines of the reply to EHLO; the first is the peer's name. Unknown keywords are left
 * alone.
 */
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
    dsn: find('DSN') !== undefined,
    auth: find('AUTH')?.slice(1) ?? [],
  }
}

/**
 * MAIL FROM with the parameters that the peer offers: SIZE (RFC 1870 6), BODY (RFC 6152 2),
 * SMTPUTF8 (RFC 6531 3.4). Where feedback on the mail comes back to us, also that a bounce need not
 * contain the whole mail, and our name for it (RFC 3461 4.3 and 4.4).
 */
export function mailCommand(envelope: SmtpEnvelope, offers: Offers): string {
  const size = offers.size === null ? '' : ` SIZE=${envelope.bytes.length}`
  const body = offers.eightBitMime && !isAscii(envelope.bytes) ? ' BODY=8BITMIME' : ''
  return `MAIL FROM:<${envelope.returnPath}>${size}${body}${envelope.utf8 ? ' SMTPUTF8' : ''}${requestsFeedback(envelope, offers) ? ` RET=HDRS ENVID=${toXtext(envelope.reference)}` : ''}\r\n`
}

/**
 * RCPT TO; with the notices that we ask for, where they come back to us and the peer offers them
 * (RFC 3461 4.1 and 4.2).
 */
export function rcptCommand(envelope: SmtpEnvelope, offers: Offers): string {
  if (!requestsFeedback(envelope, offers)) return `RCPT TO:<${envelope.recipient}>\r\n`
  const notify = envelope.notify === 'all' ? 'SUCCESS,FAILURE,DELAY' : 'FAILURE,DELAY'
  // An address beyond ASCII has another type and spelling there (RFC 6533 3), and ORCPT may be left
  // out.
  const original = isAsciiText(envelope.recipient)
    ? ` ORCPT=rfc822;${toXtext(envelope.recipient)}`
    : ''
  return `RCPT TO:<${envelope.recipient}> NOTIFY=${notify}${original}\r\n`
}

/**
 * With a return path that is not ours, notices of success would be unwanted mail in a user's
 * mailbox.
 */
const requestsFeedback = (envelope: SmtpEnvelope, offers: Offers): boolean =>
  offers.dsn && envelope.notify !== undefined

/**
 * RFC 3461 4: `+`, `=` and what is no printable ASCII as `+` and two upper-case hexadecimal digits.
 */
function toXtext(text: string): string {
  return text.replace(
    /[^!-*,-<>-~]/g,
    (character) => `+${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/**
 * The reason why this envelope cannot be given to a peer with these offers, or null. Nothing has
 * been sent then.
 */
export function whyNotSendable(envelope: SmtpEnvelope, offers: Offers): string | null {
  if (!isOneLine(envelope.returnPath) || !isOneLine(envelope.recipient))
    return 'an address of the envelope holds a control character'
  if (envelope.utf8 && !offers.smtpUtf8)
    return 'the peer does not offer SMTPUTF8, which the addresses need'
  if (!envelope.utf8 && !isAddressAscii(envelope)) return 'an address of the envelope is not ASCII'
  if (!offers.eightBitMime && !isAscii(envelope.bytes))
    return 'the peer does not offer 8BITMIME, which the content needs'
  const limit = offers.size ?? 0
  if (limit > 0 && envelope.bytes.length > limit)
    return `the message has ${envelope.bytes.length} bytes, the peer takes ${limit}`
  return null
}

/**
 * A line end in an address would be a command of its own. The address parser lets none through;
 * this is the last check.
 */
function isOneLine(address: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are looked for
  return !/[\u0000-\u001f\u007f]/.test(address)
}

const isAddressAscii = (envelope: SmtpEnvelope): boolean =>
  isAsciiText(envelope.returnPath + envelope.recipient)

// oxlint-disable-next-line no-control-regex -- control characters are looked for
const isAsciiText = (text: string): boolean => !/[^\u0000-\u007f]/.test(text)
