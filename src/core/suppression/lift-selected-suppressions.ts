/**
 * POST /suppression/lift-selected: a user removes selected entries, with one reason for the audit
 * log. API keys cannot.
 */
import { retrying } from '../../database/client/retrying.ts'
import type { Verb } from '../verb.ts'
import { liftEntries } from './lift-entries.ts'
import { readLiftReason } from './lift-suppression.ts'

export const liftSelectedSuppressions: Verb<'liftSelectedSuppressions'> = async (ctx, { body }) => {
  const why = readLiftReason(body.reason)
  const ids = [...new Set(body.ids)]
  const { addresses, stay } = await retrying(() =>
    ctx.db.transaction((tx) => liftEntries(tx, ctx, { ids, why })),
  )
  return {
    body: {
      object: 'lifted_suppressions',
      lifted: addresses,
      absent: ids.length - addresses,
      suppressed_by_platform: stay,
    },
  }
}
