/** Presents an entry of the suppression list in the API. */
import type { SuppressionEntry } from '../../contract/suppression.ts'
import type { SuppressionRow } from '../../db/suppression/suppressions.ts'

export const presentSuppression = (row: SuppressionRow): SuppressionEntry => ({
  object: 'suppression',
  id: row.id,
  email: row.email,
  reason: row.reason,
  scope: row.scope,
  source_id: row.sourceId,
  created_at: row.createdAt.toISOString(),
})
