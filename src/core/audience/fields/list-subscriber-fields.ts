/** GET /audience/fields: lists the custom fields of a workspace. */
import { fieldsOf, type FieldRow } from '../../../db/audience/subscriber-fields.ts'
import type { Verb } from '../../verb.ts'

export const listSubscriberFields: Verb<'listSubscriberFields'> = async (ctx) => {
  return {
    body: { object: 'list', data: (await fieldsOf(ctx.db, ctx.workspaceId)).map(presentField) },
  }
}

export const presentField = ({ createdAt, ...field }: FieldRow) => ({
  object: 'subscriber_field' as const,
  ...field,
  created_at: createdAt.toISOString(),
})
