/**
 * Reads the report in a mail that came to one of our addresses (verp.ts says about which recipient). It only parses:
 * run it where it may be stopped.
 */
import PostalMime, { type Email } from 'postal-mime'
import { readFeedbackReport } from './arf.ts'
import { readDeliveryStatus, type DsnRecipientStatus } from './dsn.ts'
import { addWords, readTextBounce } from './text-bounce.ts'

export type ReturnedMail =
  | ({ kind: 'status' } & DsnRecipientStatus)
  /** `type`: the reporter's word (RFC 5965 3.1). */
  | { kind: 'complaint' | 'opt-out'; type: string }
  /** A program answered: out of office, a ticket opened (RFC 3834). It says nothing of the delivery. */
  | { kind: 'automatic' }
  | { kind: 'other' }

/** Parts of a mail at most. A notice has three; each costs memory, and a small mail could hold a hundred thousand. */
const partsMax = 500
const limits = { maxNestingDepth: 20, maxHeadersSize: 256_000, maxRfc822NestingDepth: 0 }

/**
 * A notice precedes the mail that it returns (RFC 6522 3), so the rest is not read. Parsing takes many times the mail's memory
 * (2,000 times for empty lines), and a thread without memory ends the whole process.
 */
const bytesRead = 262_144
const linesRead = 5_000

/** Throws when it has too many parts, is nested too deep, or its headers are too long. */
export async function readReturnedMail(whole: Uint8Array): Promise<ReturnedMail> {
  const raw = beginningOf(whole)
  if (countDashedLines(raw) > partsMax) throw new Error(`more than ${partsMax} parts`)
  const mail = await PostalMime.parse(raw, limits)
  const status = partOf(mail, statusTypes, readDeliveryStatus)
  if (status) return { kind: 'status', ...addWords(status, mail.text ?? '') }
  const report = partOf(mail, reportTypes, readFeedbackReport)
  if (report) return report.meaning === 'other' ? { kind: 'other' } : { kind: report.meaning, type: report.type }
  const header = (name: string): string | null => mail.headers.find(({ key }) => key === name)?.value ?? null
  if (isAutomatic(header)) return { kind: 'automatic' }
  const bounce = readTextBounce({ header, text: mail.text ?? '' })
  return bounce ? { kind: 'status', ...bounce } : { kind: 'other' }
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
  for (let at = bytes.indexOf('\n--'); at !== -1 && count <= partsMax; at = bytes.indexOf('\n--', at + 1)) count++
  return count
}

/** RFC 3464 2 and, with addresses beyond ASCII, RFC 6533 6.2. */
const statusTypes = ['message/delivery-status', 'message/global-delivery-status']
const reportTypes = ['message/feedback-report']

function partOf<T>(mail: Email, types: string[], read: (text: string) => T | null): T | null {
  const part = mail.attachments.find(({ mimeType }) => types.includes(mimeType))
  if (!part) return null
  const { content } = part
  return read(typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString('utf8').slice(0, 100_000))
}

/**
 * RFC 3834 5, and what older programs set. Exim calls its bounces `auto-replied` too, and names whom they are of in a header of
 * its own.
 */
function isAutomatic(header: (name: string) => string | null): boolean {
  if (header('x-failed-recipients') !== null) return false
  if (/^auto-(?:replied|notified)/i.test(header('auto-submitted') ?? '')) return true
  return header('x-autoreply') !== null || header('x-autorespond') !== null || header('precedence') === 'auto_reply'
}
