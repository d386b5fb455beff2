/** GET /emails/{id}: a message with its status, and its content until that has expired. */
import { messageBody, messagesById } from '../../db/messages/messages.ts'
import { workspaceRetention } from '../../db/retention/retention-limits.ts'
import { isId } from '../../ground/ids.ts'
import { absentOrExpired, expiredAt, finishedAt, refuseExpired } from '../presentation/expiry.ts'
import { presentEmailDetail } from '../presentation/present-email.ts'
import type { Verb } from '../verb.ts'

/** Throws `not_found`, with `expiredAt` where the line of the message has expired. */
export const getEmail: Verb<'getEmail'> = async (ctx, { params: { id } }) => {
  const [[row], limits] = await Promise.all([
    isId(id) ? messagesById(ctx.db, ctx.workspaceId, [id]) : [],
    workspaceRetention(ctx.db, ctx.workspaceId),
  ])
  if (!row) throw absentOrExpired(limits.messages, { id })
  const finished = finishedAt(row)
  refuseExpired(limits.messages, { id, at: finished })
  const since = finished && expiredAt(limits.bodies, finished)
  if (since)
    return {
      body: {
        ...presentEmailDetail(row, { html: null, text: null }, ctx.settings),
        expiredAt: since,
      },
    }
  return {
    body: presentEmailDetail(row, await messageBody(ctx.db, ctx.workspaceId, row.id), ctx.settings),
  }
}
