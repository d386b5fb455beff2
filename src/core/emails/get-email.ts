/** GET /emails/{id}: a message with its status. */
import { existing } from '../../contract/errors.ts'
import { messageBody, messagesById } from '../../db/messages/messages.ts'
import { isId } from '../../ids.ts'
import { presentEmailDetail } from '../presentation/present-email.ts'
import type { Verb } from '../verb.ts'

export const getEmail: Verb<'getEmail'> = async (ctx, { params }) => {
  const row = existing(isId(params.id) ? (await messagesById(ctx.db, ctx.workspaceId, [params.id]))[0] : null, { id: params.id })
  return { body: presentEmailDetail(row, await messageBody(ctx.db, ctx.workspaceId, row.id), ctx.settings) }
}
