/**
 * What follows when recipients move, whoever moved them: news, or our own attempt that came to an end. One place for all, in the
 * transaction of the move: suppression and subscribers. Events are made of what it answers (core/webhooks/move-events.ts).
 */
import type { Database } from '../../db/connect.ts'
import { countSoftBounces, judgeSoftBounces } from '../../db/soft-bounces.ts'
import type { SoftBounceLimit } from '../../db/soft-bounces.ts'
import { moveSubscribers } from '../../db/subscribers.ts'
import { closeAddresses } from '../../db/suppressions.ts'
import { erasedAddress } from '../../db/erasures.ts'
import type { Context } from '../context.ts'
import { settleSuppressed } from '../suppression/settle-suppressed.ts'
import type { FeedbackTarget, MovedRecipient } from './feedback.ts'

/** A mailbox that stays full or asleep so long is nobody's any more. */
const softBounceLimit: SoftBounceLimit = { inARow: 5, days: 7 }

/** A recipient that is softly refused for good. */
export interface SoftlyRefused {
  email: string
  handedOverAt: Date
  sourceId: string
}

/** An address that is closed now. */
export interface Closed {
  email: string
  reason: 'bounce' | 'complaint'
  sourceId: string
}

export interface Moves {
  moved: MovedRecipient[]
  soft: SoftlyRefused[]
}

/** Answers what it closed: call `settleClosed` with it after the commit. */
export async function followMoves(tx: Database, workspaceId: number, { moved, soft }: Moves): Promise<Closed[]> {
  const closed = strongest([...moved.flatMap(closedBy), ...(await closedBySoftness(tx, workspaceId, soft))])
  if (closed.length > 0) {
    await closeAddresses(tx, workspaceId, closed)
    await moveClosed(tx, workspaceId, closed)
  }
  return closed
}

/** Settles what is unclaimed for addresses that were closed, and moves the subscribers who came in that moment; after the commit. */
export async function settleClosed(ctx: Pick<Context, 'db' | 'wake'>, workspaceId: number, closed: Closed[]): Promise<void> {
  if (closed.length === 0) return
  await moveClosed(ctx.db, workspaceId, closed)
  await settleSuppressed(ctx, workspaceId, closed)
}

async function moveClosed(db: Database, workspaceId: number, closed: Closed[]): Promise<void> {
  const moves = closed.map(({ email, reason }) => ({
    email,
    becomes: reason === 'complaint' ? ('complained' as const) : ('bounced' as const),
  }))
  await moveSubscribers(db, workspaceId, moves)
}

/** What a suppression names as its cause. */
export const sourceIdOf = (target: FeedbackTarget): string => ('messageId' in target ? target.messageId : target.campaignId)

function closedBy({ email, status, target }: MovedRecipient): Closed[] {
  const sourceId = sourceIdOf(target)
  if (status === 'bounced') return [{ email, reason: 'bounce', sourceId }]
  return status === 'complained' ? [{ email, reason: 'complaint', sourceId }] : []
}

async function closedBySoftness(tx: Database, workspaceId: number, all: SoftlyRefused[]): Promise<Closed[]> {
  const soft = all.filter(({ email }) => email !== erasedAddress)
  if (soft.length === 0) return []
  const closed: Closed[] = []
  for (const email of await countSoftBounces(tx, workspaceId, soft, softBounceLimit)) {
    const sourceId = soft.find((one) => one.email === email)?.sourceId ?? ''
    if (await judgeSoftBounces(tx, workspaceId, email, softBounceLimit)) closed.push({ email, reason: 'bounce', sourceId })
  }
  return closed
}

/** Each address once: a complaint outranks a bounce. Of an erased person there is no address to close. */
function strongest(all: Closed[]): Closed[] {
  const closed = new Map<string, Closed>()
  for (const one of all) {
    if (one.email === erasedAddress) continue
    if (!closed.has(one.email) || one.reason === 'complaint') closed.set(one.email, one)
  }
  return [...closed.values()]
}
