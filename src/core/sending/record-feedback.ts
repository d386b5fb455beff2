/** One verb for news from every source: stored once, the state forward only, suppression and reputation with it. */
import { recordCampaignFeedback } from '../../db/campaign-feedback.ts'
import { retrying } from '../../db/connect.ts'
import type { Database } from '../../db/connect.ts'
import { recordFeedback as recordMessageFeedback } from '../../db/feedback.ts'
import { moveSubscribers } from '../../db/subscribers.ts'
import { settleSuppressed } from '../../db/suppressions.ts'
import type { Context } from '../context.ts'
import type { Feedback, MovedRecipient, RecordedFeedback } from './feedback.ts'

/**
 * Records news of one workspace's recipients in one transaction; `alongside` is written with it, all or nothing. When it
 * answers, nothing unclaimed is left for an address that this news suppressed.
 */
export async function recordFeedback(
  ctx: Pick<Context, 'db' | 'log'>,
  workspaceId: number,
  news: Feedback[],
  alongside: (tx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<RecordedFeedback> {
  const moved = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      await alongside(tx)
      const rows = [...(await tellCampaigns(tx, workspaceId, news)), ...(await tellMessages(tx, workspaceId, news))]
      await moveLeavers(tx, workspaceId, rows)
      return rows
    }),
  )
  // Who came in the same moment was not there yet to be moved.
  await moveLeavers(ctx.db, workspaceId, moved)
  for (const { email, status } of moved) {
    if (status === 'bounced') await settleSuppressed(ctx.db, workspaceId, email, 'bounce')
    if (status === 'complained') await settleSuppressed(ctx.db, workspaceId, email, 'complaint')
  }
  return { moved, refused: [] }
}

async function tellCampaigns(tx: Database, workspaceId: number, news: Feedback[]): Promise<MovedRecipient[]> {
  const rows = news.flatMap(({ source, sourceId, target, kind, detail }) =>
    'campaignId' in target && kind !== 'delayed' ? [{ source, sourceId, ...target, kind, detail }] : [],
  )
  if (rows.length === 0) return []
  const moved = await recordCampaignFeedback(tx, workspaceId, rows)
  return moved.map(({ campaignId, subscriberId, status, email }) => ({
    ...untold,
    target: { campaignId, subscriberId },
    email,
    status: status as MovedRecipient['status'],
  }))
}

async function tellMessages(tx: Database, workspaceId: number, news: Feedback[]): Promise<MovedRecipient[]> {
  const rows = news.flatMap(({ source, sourceId, target, kind, detail }) =>
    'messageId' in target && kind !== 'delayed' ? [{ source, sourceId, ...target, kind, detail }] : [],
  )
  if (rows.length === 0) return []
  const moved = await recordMessageFeedback(tx, workspaceId, rows)
  return moved.map(({ messageId, position, status, addressKey }) => ({
    ...untold,
    target: { messageId, position },
    email: addressKey,
    status: status as MovedRecipient['status'],
  }))
}

const untold = { was: 'sent', bounce: null, code: null, complaint: null, error: null } as const

/** Moves the subscribers whom this news closes, each address once: a complaint outranks a bounce. */
async function moveLeavers(db: Database, workspaceId: number, rows: Pick<MovedRecipient, 'email' | 'status'>[]): Promise<void> {
  const leavers = new Map<string, 'bounced' | 'complained'>()
  for (const { email, status } of rows) {
    if (status === 'complained') leavers.set(email, status)
    else if (status === 'bounced' && !leavers.has(email)) leavers.set(email, status)
  }
  const moves = [...leavers].map(([email, becomes]) => ({ email, becomes }))
  if (moves.length > 0) await moveSubscribers(db, workspaceId, moves)
}
