/** GET /audience/fields: lists the custom fields of a workspace. */
import type { AnswerOf } from '../../contract/operations.ts'
import { fieldsOf } from '../../db/subscribers/subscriber-fields.ts'
import type { FieldRow } from '../../db/subscribers/subscriber-fields.ts'
import type { CallContext } from '../context.ts'

export async function listSubscriberFields(ctx: CallContext): Promise<AnswerOf<'listSubscriberFields'>> {
  return { body: { object: 'list', data: (await fieldsOf(ctx.db, ctx.workspaceId)).map(presentField) } }
}

export const presentField = ({ key, label, createdAt }: FieldRow) => ({
  object: 'subscriber_field' as const,
  ...{ key, label },
  created_at: createdAt.toISOString(),
})
