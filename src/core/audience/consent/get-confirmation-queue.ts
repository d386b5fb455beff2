/** GET /audience/confirmations: how long confirmations that programs caused wait, and their pace. */
import { databaseTimeMs } from '../../../database/schema/schema-state.ts'
import { confirmationPaceOf } from '../../../db/audience/confirmation-pace.ts'
import type { CallContext } from '../../context.ts'
import type { Verb } from '../../verb.ts'

export const getConfirmationQueue: Verb<'getConfirmationQueue'> = async (ctx) => {
  const { perMinute, until } = await confirmationQueue(ctx)
  return { body: { object: 'confirmation_queue', per_minute: perMinute, until } }
}

/** `until`: when the last one that waits has left, RFC 3339. Null if none waits. */
export async function confirmationQueue({
  db,
  workspaceId,
}: CallContext): Promise<{ perMinute: number; until: string | null }> {
  const [{ perMinute, waitSeconds }, now] = await Promise.all([
    confirmationPaceOf(db, workspaceId),
    databaseTimeMs(db),
  ])
  const until = waitSeconds === 0 ? null : new Date(now + waitSeconds * 1_000).toISOString()
  return { perMinute, until }
}
