/** POST /audience/bulk/export: freezes many contacts for a file (downloadBulkExport). */
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const exportContacts: Verb<'exportContacts'> = async (ctx, { body: { selection } }) => ({
  body: await beginBulkChange(ctx, { action: 'export', selection }),
})
