/**
 * Suppresses many addresses in one workspace: entries in one statement, then the usual path for
 * those that it concerns.
 */
import { retrying } from '../../database/client/retrying.ts'
import {
  addressesWithPendingMail,
  upsertSuppressions,
  type NewSuppression,
} from '../../db/suppression/suppressions-in-bulk.ts'
import type { Context } from '../context.ts'
import { publishSubscriberChanges } from '../events/subscriber-events.ts'
import { suppressAddress } from './suppress-address.ts'

/**
 * Addresses with pending mail or a subscriber take the path of `suppressAddress`, which stops the
 * mail and the subscription. `entries`: each address once. Returns how many are new.
 */
export async function suppressMany(
  ctx: Pick<Context, 'db' | 'makeId' | 'failpoints' | 'wake'>,
  { workspaceId, entries }: { workspaceId: number; entries: NewSuppression[] },
): Promise<number> {
  const suppressed = entries.map(({ email }) => email)
  const { added, pending } = await retrying(() =>
    ctx.db.transaction(async (tx) => ({
      added: await upsertSuppressions(tx, workspaceId, entries),
      pending: await publishSubscriberChanges(tx, workspaceId, { suppressed }),
    })),
  )
  if (pending > 0) ctx.wake('webhook')
  const byEmail = new Map(entries.map((entry) => [entry.email, entry]))
  for (const email of await addressesWithPendingMail(ctx.db, workspaceId, suppressed)) {
    const { reason, sourceId } = byEmail.get(email) ?? { reason: 'manual', sourceId: null }
    await suppressAddress(ctx, { workspaceId, entry: { email, reason, sourceId } })
  }
  return added
}
