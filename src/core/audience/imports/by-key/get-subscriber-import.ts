/** GET /subscribers/imports/{id}: the progress of an import, its counts and its first refusals. */
import { ApiError } from '../../../../contract/errors.ts'
import type { SubscriberImport } from '../../../../contract/subscriber-imports.ts'
import { confirmationPaceOf } from '../../../../db/audience/confirmation-pace.ts'
import { databaseTimeMs } from '../../../../database/schema/schema-state.ts'
import { isId } from '../../../../ground/ids.ts'
import type { CallContext } from '../../../context.ts'
import type { Verb } from '../../../verb.ts'
import { presentImport } from '../present-import.ts'

export const getSubscriberImport: Verb<'getSubscriberImport'> = async (ctx, { params }) => ({
  body: await presentSubscriberImport(ctx, params.id),
})

/** Throws `not_found`. */
export async function presentSubscriberImport(
  ctx: CallContext,
  id: string,
): Promise<SubscriberImport> {
  if (!isId(id)) throw new ApiError('not_found', { id })
  const { workspaceId } = ctx
  const [shown, { waitSeconds }, now] = await Promise.all([
    presentImport(ctx, { workspaceId, id }),
    confirmationPaceOf(ctx.db, workspaceId),
    databaseTimeMs(ctx.db),
  ])
  const { object, name, state, counts, created_at, started_at, ended_at } = shown
  const { unknown_words, unknown_separators, refusals, failure } = shown
  return {
    ...{ object, id: shown.id, name, state, counts, created_at, started_at, ended_at },
    ...{ unknown_words, unknown_separators, refusals, failure },
    confirmations_until:
      waitSeconds === 0 ? null : new Date(now + waitSeconds * 1_000).toISOString(),
  }
}
