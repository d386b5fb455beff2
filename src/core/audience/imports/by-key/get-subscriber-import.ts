/** GET /subscribers/imports/{id}: the progress of an import, its counts and its first refusals. */
import { ApiError } from '../../../../contract/errors.ts'
import type { SubscriberImport } from '../../../../contract/subscriber-imports.ts'
import { isId } from '../../../../ground/ids.ts'
import type { CallContext } from '../../../context.ts'
import type { Verb } from '../../../verb.ts'
import { confirmationQueue } from '../../consent/get-confirmation-queue.ts'
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
  const [shown, queue] = await Promise.all([
    presentImport(ctx, { workspaceId, id }),
    confirmationQueue(ctx),
  ])
  const { object, name, state, counts, created_at, started_at, ended_at } = shown
  const { unknown_words, unknown_separators, refusals, failure } = shown
  return {
    ...{ object, id: shown.id, name, state, counts, created_at, started_at, ended_at },
    ...{ unknown_words, unknown_separators, refusals, failure },
    confirmations_until: queue.until,
  }
}
