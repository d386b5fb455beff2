/** POST /audience/bulk/untag: removes a tag from many contacts. */
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const untagContacts: Verb<'untagContacts'> = async (ctx, { body: { selection, tag } }) => ({
  body: await beginBulkChange(ctx, { action: 'untag', selection, parameters: { tag } }),
})
