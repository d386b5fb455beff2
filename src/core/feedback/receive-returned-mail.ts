/**
 * Handles mail to our return paths and unsubscribe addresses: it becomes feedback of one recipient,
 * or an unsubscription. Only the address that it came to identifies the recipient (security:
 * inbound mail); names and addresses inside the mail are ignored.
 */
import { countComplaint } from '../../db/domain-reports/complaint-days.ts'
import { campaignsNamed, countFeedback, insertProbe } from '../../db/feedback/inbound.ts'
import type { ReturnedMail } from '../../mail/reports/read-returned-mail.ts'
import type { ReportMail } from '../../mail/reports/report-mail.ts'
import type { AddressPurpose, NamedSubject } from '../../mail/reports/verp.ts'
import type { Context, Service } from '../context.ts'
import { unsubscribeByLink } from '../suppression/unsubscribe-by-link.ts'
import type { Feedback, FeedbackTarget } from '../feedback-target.ts'
import { reporterOf } from '../domain-reports/reporter-of.ts'
import { nameOf } from './known-feedback.ts'
import { proveComplaint } from './prove-complaint.ts'
import { recordFeedback } from './record-feedback.ts'

export interface Returned {
  purpose: AddressPurpose
  subject: NamedSubject
  /** The local part of the address that it came to, in lower case. */
  token: string
  mail: ReturnedMail
  /** The sender of a complaint. */
  sender: ReportMail | null
  /** SHA-256 of the mail's bytes: the same mail received again is a duplicate. */
  digest: string
  raw: Buffer
}

/** The result, for the log and the metrics: the stored kind, or why nothing was stored. */
export type ReceivedMail =
  | Feedback['kind']
  /**
   * The address is suppressed, and nothing proves that a mailbox provider reports it: it does not
   * count.
   */
  | 'complained_unproven'
  | 'unsubscribed'
  | 'probe'
  | 'unknown'
  | 'not_begun'
  | 'too_old'
  | 'repeated'
  | 'too_many'
  | 'automatic'
  | 'no_report'

type Parts = Parameters<typeof recordFeedback>[0] & Pick<Service, 'failpoints' | 'resolver'>

/**
 * The maximum of stored feedback per recipient. Every recipient knows their return path, and could
 * otherwise fill the disk with it.
 */
const feedbackMax = 50

/** Returns after the commit; throws when it could not commit. */
export async function receiveReturnedMail(ctx: Parts, returned: Returned): Promise<ReceivedMail> {
  const { purpose, subject, mail } = returned
  if (purpose === 'probe') return takeProbe(ctx, subject)
  const isLeaving = purpose === 'unsubscribe' || mail.kind === 'opt-out'
  if (mail.kind === 'automatic' && !isLeaving) return 'automatic'
  const target = await findTarget(ctx, subject)
  if (target === null) return 'unknown'
  // RFC 2369 3.2: any mail to the address unsubscribes. Mail programs send it for their user, and
  // mark it as automatic (RFC 3834 5).
  if (isLeaving)
    return mail.kind === 'status' ? 'no_report' : leave(ctx, subject.workspaceId, target)
  if (mail.kind === 'complaint') return complain(ctx, returned, { target, type: mail.type })
  if (mail.kind !== 'status' && mail.kind !== 'unread') return 'no_report'
  if ((await countFeedback(ctx.db, subject.workspaceId, target)) >= feedbackMax) return 'too_many'
  const sourceId = `${returned.token}/${returned.digest}`
  if (mail.kind === 'unread')
    return record(ctx, returned, {
      source: 'dsn',
      kind: 'unread',
      detail: mail.detail,
      target,
      sourceId,
    })
  const { action, code, detail } = mail
  return record(ctx, returned, {
    source: 'dsn',
    kind: kinds[action],
    code,
    detail,
    target,
    sourceId,
  })
}

/**
 * A mail has one complaint that is proven and one that is not, however often and in whatever words
 * it is reported: variants of a report neither count again, nor fill the disk.
 */
async function complain(
  ctx: Parts,
  returned: Returned,
  { target, type }: { target: FeedbackTarget; type: string },
): Promise<ReceivedMail> {
  const { subject, sender } = returned
  const { workspaceId } = subject
  const result = await proveComplaint(ctx, { workspaceId, target, sender })
  if (result === null) return 'unknown'
  const { domain, isProven } = result
  const taken = await record(ctx, returned, {
    ...{ source: 'arf', kind: 'complained', complaint: type, detail: null, target, isProven },
    sourceId: `${nameOf(target)} ${isProven ? 'proven' : 'not proven'}`,
  })
  if (taken !== 'complained') return taken
  const reporter = reporterOf(sender?.reporter ?? '')
  await countComplaint(ctx.db, workspaceId, {
    domain,
    reporter,
    proof: isProven ? 'proven' : 'verified',
  })
  return isProven ? taken : 'complained_unproven'
}

async function record(
  ctx: Parts,
  { subject: { workspaceId }, raw }: Returned,
  result: Omit<Feedback, 'at' | 'raw'>,
): Promise<ReceivedMail> {
  const feedback: Feedback = { ...result, at: null, raw: { id: result.sourceId, bytes: raw } }
  const { refused } = await recordFeedback(ctx, { workspaceId, feedback: [feedback] })
  return refused[0]?.why ?? feedback.kind
}

/**
 * The address holds only a part of the campaign's identifier. If no campaign of this recipient
 * matches, or two do, the mail is ignored.
 */
async function findTarget(
  ctx: Pick<Context, 'db'>,
  subject: NamedSubject,
): Promise<FeedbackTarget | null> {
  if ('messageId' in subject) return { messageId: subject.messageId, position: subject.position }
  const { workspaceId, campaign, subscriberId } = subject
  const [campaignId, another] = await campaignsNamed(ctx.db, workspaceId, {
    ...campaign,
    subscriberId,
  })
  return campaignId === undefined || another !== undefined ? null : { campaignId, subscriberId }
}

/**
 * `failed` is classified by its code and text. `relayed` went to a server without such notices: it
 * left, and may not have arrived.
 */
const kinds = {
  failed: 'bounced',
  delayed: 'delayed',
  delivered: 'delivered',
  relayed: 'sent',
} as const

/** Unsubscribes like the link's button. A mail outside campaigns has no subscriber. */
async function leave(
  ctx: Parts,
  workspaceId: number,
  target: FeedbackTarget,
): Promise<ReceivedMail> {
  if ('messageId' in target) return 'no_report'
  const subject = { workspaceId, first: target.campaignId, second: target.subscriberId }
  const left = await unsubscribeByLink(ctx, {
    ...subject,
    requester: { source: 'mailto', ip: null, userAgent: null },
  })
  return left === null ? 'unknown' : 'unsubscribed'
}

async function takeProbe(
  { db }: Pick<Context, 'db'>,
  subject: NamedSubject,
): Promise<ReceivedMail> {
  if (!('messageId' in subject)) return 'unknown'
  await insertProbe(db, subject.messageId)
  return 'probe'
}
