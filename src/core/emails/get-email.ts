/** GET /emails/{id}: a message with its status. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { messageBody, messagesById } from '../../db/messages/messages.ts'
import { isId } from '../../ids.ts'
import type { CallContext } from '../context.ts'
import { presentEmailDetail } from '../presentation/present-email.ts'

export async function getEmail(ctx: CallContext, { params }: InputOf<'getEmail'>): Promise<AnswerOf<'getEmail'>> {
  const [row] = isId(params.id) ? await messagesById(ctx.db, ctx.workspaceId, [params.id]) : []
  if (!row) throw new ApiError('not_found', { id: params.id })
  return { body: presentEmailDetail(row, await messageBody(ctx.db, ctx.workspaceId, row.id), ctx.settings) }
}
