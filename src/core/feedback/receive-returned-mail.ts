/**
 * Handles mail to our return paths and unsubscribe addresses: it becomes feedback of one recipient, or an unsubscription.
 * Only the address that it came to identifies the recipient (security: inbound mail); names and addresses inside the mail are
 * ignored.
 */
import { campaignsNamed, countFeedback, insertProbe } from '../../db/feedback/inbound.ts'
import type { ReturnedMail } from '../../mail/reports/read-returned-mail.ts'
import type { AddressPurpose, NamedSubject } from '../../mail/reports/verp.ts'
import type { Context } from '../context.ts'
import { unsubscribeByLink } from '../suppression/unsubscribe-by-link.ts'
import type { Feedback, FeedbackTarget } from '../feedback-target.ts'
import { recordFeedback } from './record-feedback.ts'

export interface Returned {
  purpose: AddressPurpose
  subject: NamedSubject
  /** The local part of the address that it came to, in lower case. */
  token: string
  mail: ReturnedMail
  /** SHA-256 of the mail's bytes: the same mail received again is a duplicate. */
  digest: string
  raw: Buffer
}

/** The result, for the log and the metrics: the stored kind, or why nothing was stored. */
export type ReceivedMail =
  | Feedback['kind']
  | 'unsubscribed'
  | 'probe'
  | 'unknown'
  | 'not_begun'
  | 'too_old'
  | 'repeated'
  | 'too_many'
  | 'automatic'
  | 'no_report'

type Parts = Parameters<typeof recordFeedback>[0] & Pick<Context, 'failpoints'>

/**
 * The maximum of stored feedback per recipient. Every recipient knows their return path, and could otherwise fill the disk with
 * it.
 */
const feedbackMax = 50

/** Returns after the commit; throws when it could not commit. */
export async function receiveReturnedMail(ctx: Parts, returned: Returned): Promise<ReceivedMail> {
  const { purpose, subject, mail } = returned
  if (purpose === 'probe') return takeProbe(ctx, subject)
  if (mail.kind === 'automatic') return 'automatic'
  const target = await findTarget(ctx, subject)
  if (target === null) return 'unknown'
  if (purpose === 'unsubscribe') return mail.kind === 'status' ? 'no_report' : leave(ctx, subject.workspaceId, target)
  if (mail.kind === 'opt-out') return leave(ctx, subject.workspaceId, target)
  const found = feedbackOf(mail)
  if (found === null) return 'no_report'
  if ((await countFeedback(ctx.db, subject.workspaceId, target)) >= feedbackMax) return 'too_many'
  const { token, digest, raw } = returned
  const sourceId = `${token}/${digest}`
  const feedback: Feedback = { ...found, sourceId, target, at: null, raw: { id: sourceId, bytes: raw } }
  const { refused } = await recordFeedback(ctx, { workspaceId: subject.workspaceId, feedback: [feedback] })
  return refused[0]?.why ?? feedback.kind
}

/**
 * The address holds only a part of the campaign's identifier. If no campaign of this recipient matches, or two do, the mail is
 * ignored.
 */
async function findTarget(ctx: Pick<Context, 'db'>, subject: NamedSubject): Promise<FeedbackTarget | null> {
  if ('messageId' in subject) return { messageId: subject.messageId, position: subject.position }
  const { workspaceId, campaign, subscriberId } = subject
  const [campaignId, another] = await campaignsNamed(ctx.db, workspaceId, { ...campaign, subscriberId })
  return campaignId === undefined || another !== undefined ? null : { campaignId, subscriberId }
}

type ReportedFields = Pick<Feedback, 'source' | 'kind' | 'detail' | 'code' | 'complaint'>

function feedbackOf(mail: ReturnedMail): ReportedFields | null {
  if (mail.kind === 'complaint') return { source: 'arf', kind: 'complained', complaint: mail.type, detail: null }
  if (mail.kind !== 'status') return null
  return { source: 'dsn', kind: kinds[mail.action], code: mail.code, detail: mail.detail }
}

/**
 * `failed` is classified by its code and text. `relayed` went to a server without such notices: it left, and may not have
 * arrived.
 */
const kinds = { failed: 'bounced', delayed: 'delayed', delivered: 'delivered', relayed: 'sent' } as const

/** Unsubscribes like the link's button. A mail outside campaigns has no subscriber. */
async function leave(ctx: Parts, workspaceId: number, target: FeedbackTarget): Promise<ReceivedMail> {
  if ('messageId' in target) return 'no_report'
  const subject = { workspaceId, first: target.campaignId, second: target.subscriberId }
  const left = await unsubscribeByLink(ctx, { ...subject, requester: { source: 'mailto', ip: null, userAgent: null } })
  return left === null ? 'unknown' : 'unsubscribed'
}

async function takeProbe({ db }: Pick<Context, 'db'>, subject: NamedSubject): Promise<ReceivedMail> {
  if (!('messageId' in subject)) return 'unknown'
  await insertProbe(db, subject.messageId)
  return 'probe'
}
