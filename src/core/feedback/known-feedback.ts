/**
 * Finds the recipients of feedback, locked, and whether it was stored before.
 */
import type { BounceClass } from '../../contract/emails.ts'
import type { Database } from '../../database/client/database.ts'
import { erasedAddress } from '../../db/audience/erasures.ts'
import { lockCampaignRecipients, type CampaignTarget } from '../../db/feedback/campaign-feedback.ts'
import {
  lockMessageRecipients,
  insertFeedback,
  insertRawNotices,
  type FeedbackRow,
  type LockedTarget,
  type MessageTarget,
} from '../../db/feedback/feedback.ts'
import type { Feedback, FeedbackTarget } from '../feedback-target.ts'

export type LockedRecipient = LockedTarget & { target: FeedbackTarget; notice: boolean }

/**
 * Locks the recipients that feedback is about. All writers lock in one order, campaigns before
 * messages, to avoid deadlocks. Returns them by `nameOf` their target; those that this workspace
 * does not have are missing.
 */
export async function lockTargets(
  tx: Database,
  workspaceId: number,
  targets: FeedbackTarget[],
): Promise<Map<string, LockedRecipient>> {
  const ofCampaigns: CampaignTarget[] = []
  const ofMessages: MessageTarget[] = []
  const named = new Set<string>()
  for (const target of targets) {
    const name = nameOf(target)
    if (named.has(name)) continue
    named.add(name)
    if ('messageId' in target) ofMessages.push(target)
    else ofCampaigns.push(target)
  }
  const locked: LockedRecipient[] = []
  if (ofCampaigns.length > 0) {
    for (const { campaignId, subscriberId, ...row } of await lockCampaignRecipients(
      tx,
      workspaceId,
      ofCampaigns,
    )) {
      locked.push({ ...row, notice: false, target: { campaignId, subscriberId } })
    }
  }
  if (ofMessages.length > 0) {
    for (const { messageId, position, ...row } of await lockMessageRecipients(
      tx,
      workspaceId,
      ofMessages,
    )) {
      locked.push({ ...row, target: { messageId, position } })
    }
  }
  return new Map(locked.map((recipient) => [nameOf(recipient.target), recipient]))
}

export const nameOf = (target: FeedbackTarget): string =>
  ('messageId' in target
    ? `${target.messageId}/${target.position}`
    : `${target.campaignId} ${target.subscriberId}`
  ).toLowerCase()

/** Bytes of a notice that are stored: the important part of a report is at its beginning. */
const rawMax = 65_536

/** Feedback whose bounce is classified and whose recipient is locked. */
export interface KnownFeedback extends Omit<Feedback, 'bounce'> {
  bounce: BounceClass | null
  recipient: LockedRecipient
  feedback: Feedback
}

/**
 * Stores feedback once, with the notices that contained it; of an erased contact no text. Returns
 * what was not stored before, each once, in order of arrival.
 */
export async function storeFeedback(
  tx: Database,
  workspaceId: number,
  feedback: KnownFeedback[],
): Promise<KnownFeedback[]> {
  const once = new Map<string, KnownFeedback>()
  for (const knownFeedback of feedback)
    if (!once.has(keyOf(knownFeedback))) once.set(keyOf(knownFeedback), knownFeedback)
  if (once.size === 0) return []
  const stored = new Set(
    (await insertFeedback(tx, workspaceId, [...once.values()].map(toRow))).map(keyOf),
  )
  const fresh = [...once.values()].filter((knownFeedback) => stored.has(keyOf(knownFeedback)))
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
