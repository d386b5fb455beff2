/** POST /audience/bulk/set-field: gives many contacts the same value of a field. */
import { fieldOf } from '../../../db/audience/subscriber-fields.ts'
import { shapeError } from '../../input/shape-error.ts'
import { checkFieldValue } from '../fields/field-values.ts'
import type { Verb } from '../../verb.ts'
import { beginBulkChange } from './begin-bulk-change.ts'

/** Refuses a field that is not defined, and a value that does not fit its type. */
export const setContactsField: Verb<'setContactsField'> = async (ctx, { body }) => {
  const { selection, field: key, value } = body
  const field = await fieldOf(ctx.db, ctx.workspaceId, key)
  if (field === null) throw shapeError([{ path: 'field', rule: 'unknown' }])
  checkFieldValue(field, value, 'value')
  const parameters = { field: key, value }
  return { body: await beginBulkChange(ctx, { action: 'set_field', selection, parameters }) }
}
