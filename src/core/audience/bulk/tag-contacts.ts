/** POST /audience/bulk/tag: adds a tag to many contacts. */
import { refuseControls } from '../../input/check-values.ts'
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const tagContacts: Verb<'tagContacts'> = async (ctx, { body: { selection, tag } }) => {
  refuseControls(tag, 'tag')
  return { body: await beginBulkChange(ctx, { action: 'tag', selection, parameters: { tag } }) }
}
