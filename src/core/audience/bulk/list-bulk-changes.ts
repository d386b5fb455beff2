/** GET /audience/bulk: the newest changes of many contacts, with their progress. */
import { bulkLimits } from '../../../contract/workspace/bulk-limits.ts'
import { bulkChangesOf } from '../../../db/audience/bulk/bulk-changes.ts'
import type { Verb } from '../../verb.ts'
import { presentBulkChange } from './present-bulk-change.ts'

export const listBulkChanges: Verb<'listBulkChanges'> = async ({ db, workspaceId }) => {
  const rows = await bulkChangesOf(db, workspaceId, bulkLimits.listedMax)
  return { body: { object: 'list', data: rows.map(presentBulkChange) } }
}
