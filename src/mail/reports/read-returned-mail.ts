/**
 * Reads the report in a mail that came to one of our addresses (verp.ts says about which
 * recipient). It only parses: run it where it may be stopped.
 */
import PostalMime, { type Email } from 'postal-mime'
import { readFeedbackReport } from './arf.ts'
import { decodeWords } from '../mime/decode-words.ts'
import { textOfHtml } from '../html/text-of-html.ts'
import { readDeliveryStatus, type DsnRecipientStatus } from './dsn.ts'
import { addWords, isFromMailSystem, readTextBounce } from './text-bounce.ts'

export type ReturnedMail =
  | ({ kind: 'status' } & DsnRecipientStatus)
  /** `type`: the reporter's word (RFC 5965 3.1). */
  | { kind: 'complaint' | 'opt-out'; type: string }
  /**
   * A program answered: out of office, a ticket opened (RFC 3834). It says nothing of the delivery.
   */
  | { kind: 'automatic' }
  /** A mail system says something that is not understood. `detail`: how it begins. */
  | { kind: 'unread'; detail: string | null }
  | { kind: 'other' }

/**
 * Parts of a mail at most. A notice has three; each costs memory, and a small mail could hold a
 * hundred thousand.
 */
const partsMax = 500
const limits = { maxNestingDepth: 20, maxHeadersSize: 256_000, maxRfc822NestingDepth: 0 }

/**
 * A notice precedes the mail that it returns (RFC 6522 3), so the rest is not read. Parsing takes
 * many times the mail's memory (2,000 times for empty lines), and a thread without memory ends the
 * whole process.
 */
const bytesRead = 262_144
const linesRead = 5_000

/** Throws when it has too many parts, is nested too deep, or its headers are too long. */
export async function readReturnedMail(whole: Uint8Array): Promise<ReturnedMail> {
  const raw = beginningOf(whole)
  if (countDashedLines(raw) > partsMax) throw new Error(`more than ${partsMax} parts`)
  const mail = await PostalMime.parse(raw, limits)
  const text = textOf(mail, raw)
  const status = partOf(mail, statusTypes, readDeliveryStatus)
  if (status) return { kind: 'status', ...addWords(status, text) }
  const report = partOf(mail, reportTypes, readFeedbackReport)
  if (report)
    return report.meaning === 'other'
      ? { kind: 'other' }
      : { kind: report.meaning, type: report.type }
  const header = (name: string): string | null => {
    const value = mail.headers.find(({ key }) => key === name)?.value
    return value === undefined ? null : decodeWords(value)
  }
  // A part for programs whose action we do not know: its words decide no more than that.
  const isUnknownStatus = /^action:\s*[a-z]/im.test(
    partOf(mail, statusTypes, (content) => content) ?? '',
  )
  const bounce = isUnknownStatus ? null : readTextBounce({ header, text })
  if (bounce) return { kind: 'status', ...bounce }
  // A notice of a mail system may be `auto-replied` too (RFC 3834 5): the page of its mail shows
  // it.
  if (isFromMailSystem({ header }))
    return { kind: 'unread', detail: text.trim().slice(0, detailMax) || null }
  return { kind: isAutomatic(header) ? 'automatic' : 'other' }
}

/** Characters of a notice that is not understood. */
const detailMax = 1_000
/** Characters of HTML that are made to text. */
const htmlMax = 50_000

/** The text for readers. A mail whose parts have no beginning has it where they should be. */
function textOf({ text, html }: Email, raw: Uint8Array): string {
  const words = text?.trim() ? text : html?.trim() ? (textOfHtml(html.slice(0, htmlMax)) ?? '') : ''
  if (words.trim() !== '') return words
  return Buffer.from(raw)
    .toString('utf8')
    .split(/\r?\n\r?\n/)
    .slice(1)
    .join('\n\n')
}

function beginningOf(whole: Uint8Array): Uint8Array {
  const raw = whole.subarray(0, bytesRead)
  let at = -1
  for (let lines = 0; lines < linesRead; lines++) {
    at = raw.indexOf(10, at + 1)
    if (at === -1) return raw
  }
  return raw.subarray(0, at + 1)
}

/** Each part begins with such a line (RFC 2046 5.1.1), so there are no more parts. */
function countDashedLines(raw: Uint8Array): number {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  let count = 0
  for (
    let at = bytes.indexOf('\n--');
    at !== -1 && count <= partsMax;
    at = bytes.indexOf('\n--', at + 1)
  )
    count++
  return count
}

/** RFC 3464 2 and, with addresses beyond ASCII, RFC 6533 6.2. */
const statusTypes = ['message/delivery-status', 'message/global-delivery-status']
const reportTypes = ['message/feedback-report']

function partOf<T>(mail: Email, types: string[], read: (text: string) => T | null): T | null {
  const part = mail.attachments.find(({ mimeType }) => types.includes(mimeType))
  if (!part) return null
  const { content } = part
  const bytes =
    typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content))
  return read(textOfPart(bytes.subarray(0, 100_000)))
}

/** Domino writes its reasons as ISO-2022-JP, whose escapes (RFC 1468) no UTF-8 text has. */
const textOfPart = (bytes: Buffer): string =>
  bytes.includes('\x1b$') ? new TextDecoder('iso-2022-jp').decode(bytes) : bytes.toString('utf8')

/** RFC 3834 5, and what older programs set. */
function isAutomatic(header: (name: string) => string | null): boolean {
  if (/^auto-(?:replied|notified)/i.test(header('auto-submitted') ?? '')) return true
  return (
    header('x-autoreply') !== null ||
    header('x-autorespond') !== null ||
    header('precedence') === 'auto_reply'
  )
}
