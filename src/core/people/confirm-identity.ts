/** POST /session/confirmation: the person of a session shows anew who they are. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { noteShown } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { judgeCredentials } from './judge-credentials.ts'
import { theirs } from './theirs.ts'

export async function confirmIdentity(
  ctx: CallContext,
  { body }: InputOf<'confirmIdentity'>,
): Promise<AnswerOf<'confirmIdentity'>> {
  const { id, email, sessionId } = theirs(ctx)
  await judgeCredentials(ctx, { ...body, email })
  await noteShown(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
