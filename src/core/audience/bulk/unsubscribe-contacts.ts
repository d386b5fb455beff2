/** POST /audience/bulk/unsubscribe: unsubscribes many contacts, after a wait. */
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { mustBeLines } from '../../input/validate-words.ts'
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const unsubscribeContacts: Verb<'unsubscribeContacts'> = async (ctx, { body }) => {
  const reason = mustBeLines(body.reason, { path: 'reason', max: audienceLimits.reasonMax })
  const { selection, expected } = body
  return {
    body: await beginBulkChange(ctx, {
      ...{ action: 'unsubscribe', selection, expected, parameters: { reason } },
    }),
  }
}
