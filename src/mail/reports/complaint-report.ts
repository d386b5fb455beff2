/**
 * Reads a complaint that came to the fixed address for complaints, with the mail that it is about.
 *
 * - Yahoo and most others send a feedback report (RFC 5965): the fields of the report, then the
 *   mail or its header.
 * - Microsoft's JMRP sent the mail as an attachment without a report, and since 2026 a feedback
 *   report without the recipient.
 * - A reporter may send the header alone, and may leave addresses out (RFC 6590).
 *
 * Everything in it can be forged but what our own signature in the embedded mail covers. This file
 * reads; core/feedback/receive-complaint.ts verifies.
 */
import { canonicalField } from '../signing/dkim-canonical.ts'
import { readSignatures, type ReadSignature } from '../signing/verify-dkim.ts'
import { readFeedbackReport } from './arf.ts'
import { splitMail, takeApart, type TakenApart } from './mime-parts.ts'
import { readReportMail, type ReportMail } from './report-mail.ts'

export interface ComplaintReport extends ReportMail {
  /** `none`: no report that we act on, such as "this is no spam", or no mail in it. */
  meaning: 'complaint' | 'opt-out' | 'none'
  /** The reporter's word (RFC 5965 3.1); `abuse` where there is no report, only the mail. */
  type: string
  /** The mail that it is about. Null if there is none. */
  original: OriginalMail | null
}

export interface OriginalMail {
  /**
   * Its CFBL-Feedback-ID without white space (RFC 9477 6.2); null where it has none, or several.
   */
  feedbackId: string | null
  signatures: ReadSignature[]
}

/** Throws when the mail is beyond the limits of mime-parts.ts. */
export function readComplaintReport(raw: Buffer, nowSeconds: number): ComplaintReport {
  const mail = takeApart(raw)
  const report = mail.parts.find(({ type }) => type === 'message/feedback-report')
  const fields = report ? readFeedbackReport(report.content().toString('utf8', 0, 100_000)) : null
  const sender = readReportMail(mail, nowSeconds)
  // A notice of another kind returns our mail too, and complains of nothing (RFC 6522 3).
  const isOther = fields === null && /report-type\s*=/.test(mail.contentType)
  if (isOther || fields?.meaning === 'other')
    return { meaning: 'none', type: fields?.type ?? '', ...sender, original: null }
  const original = readOriginal(mail, nowSeconds)
  if (original === null && fields === null)
    return { meaning: 'none', type: '', ...sender, original }
  const { meaning, type } = fields ?? { meaning: 'complaint', type: 'abuse' }
  return { meaning: meaning === 'opt-out' ? meaning : 'complaint', type, ...sender, original }
}

/** What reporters call a mail in a part; `text/rfc822` is what the example of RFC 9477 calls it. */
const mailTypes = new Set([
  'message/rfc822',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'text/rfc822',
])

/** The first mail in it: a report is about one. */
function readOriginal({ parts }: TakenApart, nowSeconds: number): OriginalMail | null {
  const part = parts.find(({ type }) => mailTypes.has(type))
  if (!part) return null
  const { fields, body } = splitMail(part.content())
  const ids = fields.get('cfbl-feedback-id') ?? []
  const [id] = ids
  return {
    feedbackId:
      id === undefined || ids.length > 1
        ? null
        : canonicalField(id)
            .replace(/^[^:]*:/, '')
            .replaceAll(' ', ''),
    signatures: readSignatures(
      { fields, body: hasNoBody(part.type, body) ? null : body },
      nowSeconds,
    ),
  }
}

/** Reporters that leave the body out send the header alone, by either type. */
const hasNoBody = (type: string, body: Buffer): boolean =>
  type.endsWith('-headers') || /^\s*$/.test(body.toString('latin1', 0, 1_000))
