/** POST /emails/{id}/cancel: cancels a scheduled message that no worker has claimed; its quota is given back. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { cancelMessage } from '../../db/messages/messages.ts'
import type { CallContext } from '../context.ts'
import { changeScheduled } from './change-scheduled.ts'

export async function cancelEmail(ctx: CallContext, { params }: InputOf<'cancelEmail'>): Promise<AnswerOf<'cancelEmail'>> {
  return { body: await changeScheduled(ctx, params.id, (tx) => cancelMessage(tx, ctx.workspaceId, params.id)) }
}
