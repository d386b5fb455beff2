/** Suppresses an address in one workspace, so that it receives nothing further. */
import { insertConsent, type ConsentRow } from '../../db/audience/consents.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { Database } from '../../database/client/database.ts'
import { updateSubscriberStatuses, type ChangedSubscriber } from '../../db/audience/subscribers.ts'
import {
  suppressionsOf,
  upsertSuppression,
  type NewEntry,
  type SuppressionRow,
} from '../../db/suppression/suppressions.ts'
import type { Context } from '../context.ts'
import { publishSubscriberChanges } from '../events/subscriber-events.ts'
import { stopPendingMail } from './stop-pending-mail.ts'

/** How a contact unsubscribed: stored as evidence when it changes a subscriber. */
export type Leaving = Pick<
  ConsentRow,
  'source' | 'ip' | 'userAgent' | 'apiKeyId' | 'person' | 'campaignId'
> & {
  /** Why a member unsubscribed them. */
  shown?: string | null
}

const bySuppression: Leaving = {
  source: 'suppression',
  ip: null,
  userAgent: null,
  apiKeyId: null,
  campaignId: null,
}

/**
 * Writes in the transaction of the entry; `changed` is null when no subscriber unsubscribed by it.
 */
export type InEntryTransaction = (tx: Database, changed: ChangedSubscriber | null) => Promise<void>

/**
 * Commits the entry and unsubscribes the subscriber, then stops unclaimed mail to the address.
 * After it returns, only a row that was claimed before may still leave (semantics 2). `email` is
 * the lower-cased address.
 */
export async function suppressAddress(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  {
    workspaceId,
    entry,
    leaving = bySuppression,
    beside,
  }: {
    workspaceId: number
    entry: NewEntry
    leaving?: Leaving
    beside?: InEntryTransaction
  },
): Promise<SuppressionRow> {
  const id = ctx.makeId()
  const { row, pending } = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      const entryRow = await upsertSuppression(tx, workspaceId, { id, ...entry })
      const changed = await leave(ctx, tx, workspaceId, { email: entry.email, leaving })
      await beside?.(tx, changed)
      const left = changed ? [{ id: changed.id, reason: entryRow.reason }] : []
      return {
        row: entryRow,
        pending: await publishSubscriberChanges(tx, workspaceId, {
          left,
          suppressed: [entry.email],
        }),
      }
    }),
  )
  if (pending > 0) ctx.wake('webhook')
  await ctx.failpoints?.hit('suppress.between')
  if (!ctx.failpoints?.broken('suppress.settle'))
    await stopPendingMail(ctx, {
      workspaceId,
      addresses: [{ email: entry.email, reason: row.reason }],
    })
  // A subscriber who was added at the same moment did not exist yet in the transaction above.
  await followSuppression(ctx, { workspaceId, email: entry.email })
  return row
}

/** Changes the subscriber of an address to `unsubscribed` and stores the evidence. */
async function leave(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  workspaceId: number,
  { email, leaving }: { email: string; leaving: Leaving },
): Promise<ChangedSubscriber | null> {
  const [changed] = await updateSubscriberStatuses(tx, workspaceId, [
    { email, becomes: 'unsubscribed' },
  ])
  if (!changed) return null
  await insertConsent(tx, workspaceId, {
    ...leaving,
    shown: leaving.shown ?? null,
    ...{
      id: ctx.makeId(),
      subscriberId: changed.id,
      email,
      act: 'unsubscribed',
      messageId: null,
    },
  })
  return changed
}

const followed = {
  unsubscribe: 'unsubscribed',
  manual: 'unsubscribed',
  bounce: 'bounced',
  complaint: 'complained',
} as const

/**
 * Updates a subscriber whose address the workspace's list suppresses, when both happened at the
 * same time. Both sides call it after their commit, so that the later one sees the other.
 */
export async function followSuppression(
  ctx: Pick<Context, 'db' | 'makeId' | 'wake'>,
  { workspaceId, email }: { workspaceId: number; email: string },
): Promise<void> {
  const entries = await suppressionsOf(ctx.db, workspaceId, [email])
  const entry = entries.find(({ scope }) => scope === 'organization')
  if (!entry) return
  const becomes = followed[entry.reason]
  if (becomes !== 'unsubscribed')
    await updateSubscriberStatuses(ctx.db, workspaceId, [{ email, becomes }])
  else {
    const pending = await ctx.db.transaction(async (tx) => {
      const changed = await leave(ctx, tx, workspaceId, { email, leaving: bySuppression })
      return changed
        ? publishSubscriberChanges(tx, workspaceId, {
            left: [{ id: changed.id, reason: entry.reason }],
          })
        : 0
    })
    if (pending > 0) ctx.wake('webhook')
  }
}
