/** DELETE /subscribers/{email}: unsubscribes and suppresses the address; the record stays. */
import { ApiError } from '../../../contract/errors.ts'
import type { InEntryTransaction } from '../../suppression/suppress-address.ts'
import { sourceOf } from './source-of.ts'
import { addressInPath } from './get-subscriber.ts'
import { recordManualChange } from './record-manual-change.ts'
import { unsubscribeSubscriber } from '../../suppression/unsubscribe-subscriber.ts'
import type { Verb } from '../../verb.ts'

export const removeSubscriber: Verb<'removeSubscriber'> = async (ctx, { params }) => {
  const leaving = { ...sourceOf(ctx), ip: null, userAgent: null, campaignId: null }
  const beside: InEntryTransaction = async (tx, changed) => {
    if (changed)
      await recordManualChange(ctx, tx, { act: 'subscriber.unsubscribed', id: changed.id })
  }
  const left = await unsubscribeSubscriber(ctx, {
    workspaceId: ctx.workspaceId,
    leaver: { email: await addressInPath(ctx, params.email) },
    leaving,
    beside,
  })
  if (!left) throw new ApiError('not_found', { email: params.email })
  return {
    body: {
      object: 'subscriber',
      email: left.email,
      status: 'unsubscribed',
      suppressed: true,
      deleted: false,
    },
  }
}
