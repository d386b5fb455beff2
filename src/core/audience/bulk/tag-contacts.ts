/** POST /audience/bulk/tag: adds a tag to many contacts. */
import { makeTags } from '../../../db/audience/subscriber-fields.ts'
import { refuseControls } from '../../input/check-values.ts'
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

export const tagContacts: Verb<'tagContacts'> = async (ctx, { body: { selection, tag } }) => {
  refuseControls(tag, 'tag')
  const body = await beginBulkChange(ctx, { action: 'tag', selection, parameters: { tag } })
  await makeTags(ctx.db, ctx.workspaceId, [tag])
  return { body }
}
