/**
 * A mail came to one of our addresses: what it tells becomes news of the one recipient whom the address names, or their leaving.
 * The address alone says of whom (security: inbound mail); whatever names or addresses the mail holds are nobody's.
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
  /** The local part that it came to, lower case. */
  token: string
  mail: ReturnedMail
  /** SHA-256 of its bytes: the same mail again is the same news. */
  digest: string
  raw: Buffer
}

/** What was kept, or why nothing was; a word for the log and for counting. */
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
  | 'not_news'

type Parts = Parameters<typeof recordFeedback>[0] & Pick<Context, 'failpoints'>

/** Notices that are kept of one recipient: whoever has had a mail of ours has its return path, and could fill the disk with it. */
const newsMax = 50

/** Committed when it answers; throws when it could not be. */
export async function receiveReturnedMail(ctx: Parts, returned: Returned): Promise<ReceivedMail> {
  const { purpose, subject, mail } = returned
  if (purpose === 'probe') return takeProbe(ctx, subject)
  if (mail.kind === 'automatic') return 'automatic'
  const target = await findTarget(ctx, subject)
  if (target === null) return 'unknown'
  if (purpose === 'unsubscribe') return mail.kind === 'status' ? 'not_news' : leave(ctx, subject.workspaceId, target)
  if (mail.kind === 'opt-out') return leave(ctx, subject.workspaceId, target)
  const told = newsOf(mail)
  if (told === null) return 'not_news'
  if ((await countFeedback(ctx.db, subject.workspaceId, target)) >= newsMax) return 'too_many'
  const { token, digest, raw } = returned
  const sourceId = `${token}/${digest}`
  const news: Feedback = { ...told, sourceId, target, at: null, raw: { id: sourceId, bytes: raw } }
  const { refused } = await recordFeedback(ctx, subject.workspaceId, [news])
  return refused[0]?.why ?? news.kind
}

/** A campaign is named in part; where the part fits none of those who were sent to this person, or two, nobody is meant. */
async function findTarget(ctx: Pick<Context, 'db'>, subject: NamedSubject): Promise<FeedbackTarget | null> {
  if ('messageId' in subject) return { messageId: subject.messageId, position: subject.position }
  const { workspaceId, campaign, subscriberId } = subject
  const [campaignId, another] = await campaignsNamed(ctx.db, workspaceId, { ...campaign, subscriberId })
  return campaignId === undefined || another !== undefined ? null : { campaignId, subscriberId }
}

type Told = Pick<Feedback, 'source' | 'kind' | 'detail' | 'code' | 'complaint'>

function newsOf(mail: ReturnedMail): Told | null {
  if (mail.kind === 'complaint') return { source: 'arf', kind: 'complained', complaint: mail.type, detail: null }
  if (mail.kind !== 'status') return null
  return { source: 'dsn', kind: kinds[mail.action], code: mail.code, detail: mail.detail }
}

/**
 * A bounce is judged by its code and words. `relayed` went on to a server that tells no more: that it left is known, that it arrived
 * is not.
 */
const kinds = { failed: 'bounced', delayed: 'delayed', delivered: 'delivered', relayed: 'sent' } as const

/** By the same verb as the link's button. A mail of no campaign has nobody who could leave. */
async function leave(ctx: Parts, workspaceId: number, target: FeedbackTarget): Promise<ReceivedMail> {
  if ('messageId' in target) return 'not_news'
  const subject = { workspaceId, first: target.campaignId, second: target.subscriberId }
  const left = await unsubscribeByLink(ctx, subject, { source: 'mailto', ip: null, userAgent: null })
  return left === null ? 'unknown' : 'unsubscribed'
}

async function takeProbe({ db }: Pick<Context, 'db'>, subject: NamedSubject): Promise<ReceivedMail> {
  if (!('messageId' in subject)) return 'unknown'
  await insertProbe(db, subject.messageId)
  return 'probe'
}
