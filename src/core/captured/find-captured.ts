/** Finds one captured mail of the workspace, with its bytes and the fields of its list entry. */
import { capturedEntry, type CapturedMailRow } from '../../db/captured/captured-entries.ts'
import { capturedMail, type CapturedRow } from '../../db/captured/captured-mails.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import { absentOrExpired, limitOf } from '../presentation/expiry.ts'

/** Throws `not_found`, with `expiredAt` where its time has expired. */
export async function findCaptured(
  ctx: CallContext,
  id: string,
): Promise<{ entry: CapturedMailRow; mail: CapturedRow & { raw: Buffer } }> {
  const mail = isId(id) ? await capturedMail(ctx.db, ctx.workspaceId, id) : null
  const isOperator = ctx.operator !== undefined
  const entry =
    mail && (await capturedEntry(ctx.db, { workspaceId: ctx.workspaceId, id, isOperator }))
  if (!mail || !entry) throw absentOrExpired(await limitOf(ctx, 'captured'), { id })
  return { entry, mail }
}
