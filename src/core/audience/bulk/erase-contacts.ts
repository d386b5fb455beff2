/** POST /audience/bulk/erase: erases many contacts, after a wait. */
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const eraseContacts: Verb<'eraseContacts'> = async (ctx, { body }) => ({
  body: await beginBulkChange(ctx, { action: 'erase', ...body }),
})
