/** POST /captured/read: marks captured mails as read, for all who see them. */
import { markRead } from '../../db/captured/captured-mails.ts'
import type { Verb } from '../verb.ts'

export const markCapturedRead: Verb<'markCapturedRead'> = async (ctx, { body }) => {
  const { db, workspaceId, operator } = ctx
  const read = await markRead(db, {
    workspaceId,
    ids: body.ids,
    isOperator: operator !== undefined,
  })
  return { body: { object: 'captured_mail', read } }
}
