/** Keeps news once, and the notices that it was read in. Of an erased person no words are kept. */
import type { BounceClass } from '../../contract/emails.ts'
import type { Database } from '../../db/connection/connect.ts'
import { erasedAddress } from '../../db/contacts/erasures.ts'
import { insertFeedback, insertRawNotices } from '../../db/feedback/feedback.ts'
import type { FeedbackRow } from '../../db/feedback/feedback.ts'
import type { Feedback } from '../feedback-target.ts'
import type { HeldRecipient } from './hold-targets.ts'

/** Octets of a notice that are kept: what matters of a report stands at its beginning. */
const rawMax = 65_536

/** News whose bounce is judged, and whose recipient is held. */
export interface KnownFeedback extends Omit<Feedback, 'bounce'> {
  bounce: BounceClass | null
  recipient: HeldRecipient
  given: Feedback
}

/** Answers what was not kept before, each piece once, in the order in which it came. */
export async function storeFeedback(tx: Database, workspaceId: number, news: KnownFeedback[]): Promise<KnownFeedback[]> {
  const once = new Map<string, KnownFeedback>()
  for (const one of news) if (!once.has(keyOf(one))) once.set(keyOf(one), one)
  if (once.size === 0) return []
  const kept = new Set((await insertFeedback(tx, workspaceId, [...once.values()].map(toRow))).map(keyOf))
  const fresh = [...once.values()].filter((one) => kept.has(keyOf(one)))
  const notices = new Map(
    fresh.flatMap(({ source, raw, recipient }) =>
      raw && !isErased(recipient)
        ? [[raw.id, { source, id: raw.id, bytes: raw.bytes.subarray(0, rawMax), octets: raw.bytes.length }]]
        : [],
    ),
  )
  if (notices.size > 0) await insertRawNotices(tx, workspaceId, [...notices.values()])
  return fresh
}

const keyOf = ({ source, sourceId }: { source: string; sourceId: string }): string => `${source} ${sourceId}`

function toRow({ source, sourceId, target, kind, bounce, detail, at, raw, recipient, ...rest }: KnownFeedback): FeedbackRow {
  return {
    ...{ source, sourceId, kind, bounce, at, code: rest.code ?? null, complaint: rest.complaint ?? null },
    message: 'messageId' in target ? target : null,
    campaign: 'campaignId' in target ? target : null,
    detail: isErased(recipient) ? null : detail,
    rawId: isErased(recipient) ? null : (raw?.id ?? null),
  }
}

export const isErased = ({ email }: { email: string }): boolean => email === erasedAddress
