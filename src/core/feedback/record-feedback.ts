/**
 * Records feedback from every source: stores it once, advances statuses only forward, and writes
 * all consequences in one transaction.
 *
 * 1. lock the recipients: of campaigns first, then of messages
 * 2. refuse feedback about unknown recipients, about hand-offs that never began, and feedback that
 *    is too old
 * 3. store the new feedback, with its notice
 * 4. set each recipient to the most advanced status
 * 5. update reputation, apply the consequences (apply-status-changes.ts) and publish events
 */
import {
  countProvenComplaints,
  updateCampaignRecipientStatuses,
  type CampaignMove,
} from '../../db/feedback/campaign-feedback.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import {
  updateMessageRecipientStatuses,
  type MessageTarget,
  type StatusUpdate,
} from '../../db/feedback/feedback.ts'
import { countReputation } from '../../db/workspaces/account-status.ts'
import { mailboxOf } from '../../db/workspaces/reputation-counts.ts'
import { bounceClassOf } from '../../mail/reports/classify-bounce.ts'
import type { Context } from '../context.ts'
import { publishStatusChanges } from '../events/status-events.ts'
import { notifySuspensionChange } from '../reputation/notify-suspension-change.ts'
import type { Feedback, ChangedRecipientStatus, RecordedFeedback } from '../feedback-target.ts'
import {
  applyStatusChanges,
  stopPendingMailTo,
  sourceIdOf,
  type SuppressedAddress,
  type SoftlyRefused,
} from '../sending/apply-status-changes.ts'
import { countRefusals, type Refusal } from '../sending/count-refusals.ts'
import {
  lockTargets,
  isErased,
  nameOf,
  storeFeedback,
  type LockedRecipient,
  type KnownFeedback,
} from './known-feedback.ts'
import { nextStatus, whyRefused, type StatusVerdict } from './next-status.ts'

const detailMax = 1_000

/**
 * Records feedback of one workspace in one transaction; `alongside` writes in it, all or nothing.
 * After it returns, no unclaimed mail is left for an address that this feedback suppressed.
 */
export async function recordFeedback(
  ctx: Pick<Context, 'db' | 'log' | 'makeId' | 'settings' | 'wake'>,
  {
    workspaceId,
    feedback,
    inSameTransaction = () => Promise.resolve(),
  }: {
    workspaceId: number
    feedback: Feedback[]
    inSameTransaction?: (tx: Database) => Promise<void>
  },
): Promise<RecordedFeedback> {
  const { suppressed, isCounted, pending, ...recorded } = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      await inSameTransaction(tx)
      return record(tx, workspaceId, feedback)
    }),
  )
  if (pending > 0) ctx.wake('webhook')
  if (recorded.refused.length > 0) logRefused(ctx, workspaceId, recorded.refused)
  if (suppressed.length > 0) await stopPendingMailTo(ctx, { workspaceId, suppressed })
  if (isCounted) await notifySuspensionChange(ctx, workspaceId)
  return recorded
}

interface Recorded extends RecordedFeedback {
  suppressed: SuppressedAddress[]
  /** Whether the reputation may have changed. */
  isCounted: boolean
  /** The number of pending webhook deliveries. */
  pending: number
}

async function record(tx: Database, workspaceId: number, feedback: Feedback[]): Promise<Recorded> {
  const targets = feedback.map(({ target }) => target)
  const locked = await lockTargets(tx, workspaceId, targets)
  const refused: RecordedFeedback['refused'] = []
  const known: KnownFeedback[] = []
  for (const item of feedback) {
    const recipient = locked.get(nameOf(item.target)) ?? null
    const why = whyRefused(recipient, item)
    if (why !== null) refused.push({ feedback: item, why })
    else if (recipient) known.push(toKnown(item, recipient))
  }
  const fresh = await storeFeedback(tx, workspaceId, known)
  const isFresh = new Set(fresh)
  for (const knownFeedback of known)
    if (!isFresh.has(knownFeedback))
      refused.push({ feedback: knownFeedback.feedback, why: 'repeated' })
  const verdicts: Checked[] = []
  for (const [recipient, own] of Map.groupBy(fresh, (knownFeedback) => knownFeedback.recipient))
    verdicts.push({ recipient, feedback: own, ...nextStatus(recipient, own) })
  await moveRecipients(tx, workspaceId, verdicts)
  const isCounted = await count(tx, workspaceId, verdicts)
  const { changes, soft, refusals } = consequencesOf(verdicts)
  const suppressed = await applyStatusChanges(tx, workspaceId, { changes, soft })
  if (refusals.length > 0) await countRefusals(tx, workspaceId, refusals)
  const pending = await publishStatusChanges(tx, workspaceId, {
    ...{ changes, suppressed },
    delays: fresh.filter(isDelay).map(({ recipient, detail }) => ({
      target: recipient.target,
      error: detail,
    })),
  })
  return { changes, refused, suppressed, isCounted, pending }
}

/** A recipient, its new feedback, and the resulting status. */
type Checked = StatusVerdict & { recipient: LockedRecipient; feedback: KnownFeedback[] }

/** A late notice about mail that has arrived meanwhile reports no delay. */
const isDelay = ({ kind, recipient }: KnownFeedback): boolean =>
  kind === 'delayed' && (recipient.status === 'queued' || recipient.status === 'sent')

function toKnown(feedback: Feedback, recipient: LockedRecipient): KnownFeedback {
  // PostgreSQL's `text` accepts neither unpaired surrogates nor U+0000.
  const words = feedback.detail?.slice(0, detailMax).toWellFormed().replaceAll('\0', '') ?? null
  const bounce =
    feedback.kind === 'bounced'
      ? (feedback.bounce ?? bounceClassOf(feedback.code ?? null, words ?? ''))
      : null
  return { ...feedback, feedback, recipient, bounce, detail: isErased(recipient) ? null : words }
}

async function moveRecipients(
  tx: Database,
  workspaceId: number,
  verdicts: Checked[],
): Promise<void> {
  const ofCampaigns: CampaignMove[] = []
  const ofMessages: (StatusUpdate & MessageTarget)[] = []
  for (const { move, recipient, counts } of verdicts) {
    const { target, status: known } = recipient
    if (move === null) continue
    if ('messageId' in target) ofMessages.push({ ...move, ...target })
    else ofCampaigns.push({ ...move, ...target, known, countsHandOff: counts.handOff })
  }
  if (ofCampaigns.length > 0) await updateCampaignRecipientStatuses(tx, workspaceId, ofCampaigns)
  if (ofMessages.length > 0) await updateMessageRecipientStatuses(tx, workspaceId, ofMessages)
}

/**
 * Counts for reputation. Our own notices do not count (semantics 1, Quota).
 * Hand-offs of a campaign are counted with its progress (db/campaigns/campaign-work.ts).
 */
async function count(tx: Database, workspaceId: number, all: Checked[]): Promise<boolean> {
  const verdicts = all.filter(({ recipient }) => !recipient.notice)
  const handOffs = verdicts.filter(
    ({ counts, recipient }) => counts.handOff && 'messageId' in recipient.target,
  ).length
  const addresses = verdicts.flatMap(({ counts, recipient: { email } }) => [
    ...(counts.hardBounce ? [{ kind: 'bounce' as const, email }] : []),
    ...(counts.complaint ? [{ kind: 'complaint' as const, email: mailboxOf(email) }] : []),
  ])
  if (handOffs + addresses.length === 0) return false
  const counted = await countReputation(tx, workspaceId, { handOffs, addresses })
  const complaints = new Set(
    counted.flatMap(({ kind, email }) => (kind === 'complaint' ? [email] : [])),
  )
  const ofCampaigns = verdicts.flatMap(({ counts, recipient: { target, email } }) =>
    counts.complaint && 'campaignId' in target && complaints.delete(mailboxOf(email))
      ? [target.campaignId]
      : [],
  )
  if (ofCampaigns.length > 0) await countProvenComplaints(tx, workspaceId, ofCampaigns)
  return addresses.length > 0
}

/** What follows from the verdicts for events, addresses and the counts of refusals. */
function consequencesOf(verdicts: Checked[]) {
  const changes: ChangedRecipientStatus[] = []
  const soft: SoftlyRefused[] = []
  const refusals: Refusal[] = []
  for (const { move, isMoved, recipient, decidedBy, feedback, counts } of verdicts) {
    const { target, email, handedOverAt, attempts, status: was } = recipient
    if (counts.softBounce) soft.push({ email, handedOverAt, sourceId: sourceIdOf(target) })
    if (move === null || !isMoved) continue
    const { status, bounce, error } = move
    const { code = null, complaint = null } =
      feedback.find((knownFeedback) => knownFeedback === decidedBy) ?? {}
    changes.push({ target, email, was, status, bounce, code, complaint, error })
    // What was refused after it was taken, by a report.
    if (error !== null && (status === 'bounced' || status === 'failed'))
      refusals.push({ target, isTemporary: false, attempts, bounce, text: error })
  }
  return { changes, soft, refusals }
}

/**
 * Logs why feedback was refused, without the recipient, so that forged and stale notices can be
 * noticed.
 */
function logRefused(
  { log }: Pick<Context, 'log'>,
  workspaceId: number,
  refused: RecordedFeedback['refused'],
): void {
  for (const [, alike] of Map.groupBy(
    refused,
    ({ feedback, why }) => `${feedback.source} ${why}`,
  )) {
    const [first] = alike
    if (first)
      log.info(
        { workspaceId, source: first.feedback.source, why: first.why, count: alike.length },
        'Feedback was refused',
      )
  }
}
