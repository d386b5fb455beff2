/**
 * Stores feedback once, with the notices that contained it. For an erased contact, no text is
 * stored.
 */
import type { BounceClass } from '../../contract/emails.ts'
import type { Database } from '../../db/connection/database.ts'
import { erasedAddress } from '../../db/contacts/erasures.ts'
import { insertFeedback, insertRawNotices, type FeedbackRow } from '../../db/feedback/feedback.ts'
import type { Feedback } from '../feedback-target.ts'
import type { HeldRecipient } from './hold-targets.ts'

/** Bytes of a notice that are stored: the important part of a report is at its beginning. */
const rawMax = 65_536

/** Feedback whose bounce is classified and whose recipient is locked. */
export interface KnownFeedback extends Omit<Feedback, 'bounce'> {
  bounce: BounceClass | null
  recipient: HeldRecipient
  given: Feedback
}

/** Returns the feedback that was not stored before, each once, in order of arrival. */
export async function storeFeedback(
  tx: Database,
  workspaceId: number,
  feedback: KnownFeedback[],
): Promise<KnownFeedback[]> {
  const once = new Map<string, KnownFeedback>()
  for (const one of feedback) if (!once.has(keyOf(one))) once.set(keyOf(one), one)
  if (once.size === 0) return []
  const kept = new Set(
    (await insertFeedback(tx, workspaceId, [...once.values()].map(toRow))).map(keyOf),
  )
  const fresh = [...once.values()].filter((one) => kept.has(keyOf(one)))
  const notices = new Map(
    fresh.flatMap(({ source, raw, recipient }) =>
      raw && !isErased(recipient)
        ? [
            [
              raw.id,
              { source, id: raw.id, bytes: raw.bytes.subarray(0, rawMax), size: raw.bytes.length },
            ],
          ]
        : [],
    ),
  )
  if (notices.size > 0) await insertRawNotices(tx, workspaceId, [...notices.values()])
  return fresh
}

const keyOf = ({ source, sourceId }: { source: string; sourceId: string }): string =>
  `${source} ${sourceId}`

function toRow({
  source,
  sourceId,
  target,
  kind,
  bounce,
  detail,
  at,
  raw,
  recipient,
  ...rest
}: KnownFeedback): FeedbackRow {
  return {
    ...{
      source,
      sourceId,
      kind,
      bounce,
      at,
      code: rest.code ?? null,
      complaint: rest.complaint ?? null,
    },
    message: 'messageId' in target ? target : null,
    campaign: 'campaignId' in target ? target : null,
    detail: isErased(recipient) ? null : detail,
    rawId: isErased(recipient) ? null : (raw?.id ?? null),
  }
}

export const isErased = ({ email }: { email: string }): boolean => email === erasedAddress
