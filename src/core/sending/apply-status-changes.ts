/**
 * Applies the consequences of changed recipient statuses: suppresses addresses and updates
 * subscribers. It runs in the transaction of the change, for feedback and for our own attempts
 * alike. `core/events/status-events.ts` makes the events.
 */
import type { Database } from '../../database/client/database.ts'
import {
  countSoftBounces,
  reachesSoftBounceLimit,
  type SoftBounceLimit,
} from '../../db/feedback/soft-bounces.ts'
import { updateSubscriberStatuses } from '../../db/audience/subscribers.ts'
import { insertSuppressions } from '../../db/suppression/suppressions.ts'
import { erasedAddress } from '../../db/audience/erasures.ts'
import type { Context } from '../context.ts'
import { stopPendingMail } from '../suppression/stop-pending-mail.ts'
import type { FeedbackTarget, ChangedRecipientStatus } from '../feedback-target.ts'

/** A mailbox that refuses softly this often, over this many days, is considered abandoned. */
const softBounceLimit: SoftBounceLimit = { inARow: 5, days: 7 }

/** A recipient whose delivery finally failed with a soft bounce. */
export interface SoftlyRefused {
  email: string
  handedOverAt: Date
  sourceId: string
}

/** An address that was just suppressed. */
export interface SuppressedAddress {
  email: string
  reason: 'bounce' | 'complaint'
  sourceId: string
}

export interface StatusChanges {
  changes: ChangedRecipientStatus[]
  soft: SoftlyRefused[]
}

/**
 * Returns the addresses that it suppressed: call `stopPendingMailTo` with them after the commit.
 */
export async function applyStatusChanges(
  tx: Database,
  workspaceId: number,
  { changes, soft }: StatusChanges,
): Promise<SuppressedAddress[]> {
  const suppressed = strongest([
    ...changes.flatMap(suppressedBy),
    ...(soft.length > 0 ? await suppressedBySoftBounces(tx, workspaceId, soft) : []),
  ])
  if (suppressed.length > 0) {
    await insertSuppressions(tx, workspaceId, suppressed)
    await followInAudience(tx, workspaceId, suppressed)
  }
  return suppressed
}

/**
 * Stops pending mail to suppressed addresses. Also updates subscribers who were added while the
 * transaction ran, so call it after the commit.
 */
export async function stopPendingMailTo(
  ctx: Pick<Context, 'db' | 'wake'>,
  { workspaceId, suppressed }: { workspaceId: number; suppressed: SuppressedAddress[] },
): Promise<void> {
  await followInAudience(ctx.db, workspaceId, suppressed)
  await stopPendingMail(ctx, { workspaceId, addresses: suppressed })
}

async function followInAudience(
  db: Database,
  workspaceId: number,
  suppressed: SuppressedAddress[],
): Promise<void> {
  const changes = suppressed.map(({ email, reason }) => ({
    email,
    becomes: reason === 'complaint' ? ('complained' as const) : ('bounced' as const),
  }))
  await updateSubscriberStatuses(db, workspaceId, changes)
}

/** The identifier that a suppression stores as its cause: the message or the campaign. */
export const sourceIdOf = (target: FeedbackTarget): string =>
  'messageId' in target ? target.messageId : target.campaignId

function suppressedBy({ email, status, target }: ChangedRecipientStatus): SuppressedAddress[] {
  const sourceId = sourceIdOf(target)
  if (status === 'bounced') return [{ email, reason: 'bounce', sourceId }]
  return status === 'complained' ? [{ email, reason: 'complaint', sourceId }] : []
}

async function suppressedBySoftBounces(
  tx: Database,
  workspaceId: number,
  all: SoftlyRefused[],
): Promise<SuppressedAddress[]> {
  const soft = all.filter(({ email }) => email !== erasedAddress)
  if (soft.length === 0) return []
  const suppressed: SuppressedAddress[] = []
  for (const email of await countSoftBounces(tx, workspaceId, soft, softBounceLimit)) {
    const sourceId = soft.find((refused) => refused.email === email)?.sourceId ?? ''
    if (await reachesSoftBounceLimit(tx, workspaceId, email, softBounceLimit))
      suppressed.push({ email, reason: 'bounce', sourceId })
  }
  return suppressed
}

/**
 * Lists each address once; a complaint outranks a bounce. An erased contact has no address to
 * suppress.
 */
function strongest(all: SuppressedAddress[]): SuppressedAddress[] {
  const suppressed = new Map<string, SuppressedAddress>()
  for (const address of all) {
    if (address.email === erasedAddress) continue
    if (!suppressed.has(address.email) || address.reason === 'complaint')
      suppressed.set(address.email, address)
  }
  return [...suppressed.values()]
}
