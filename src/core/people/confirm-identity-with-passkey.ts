/** POST /session/confirmation/passkey: the person of a session shows anew who they are, by a passkey of theirs. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { noteShown } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { judgePasskey } from './judge-passkey.ts'
import { theirs } from './theirs.ts'

export async function confirmIdentityWithPasskey(
  ctx: CallContext,
  { body }: InputOf<'confirmIdentityWithPasskey'>,
): Promise<AnswerOf<'confirmIdentityWithPasskey'>> {
  const { id, sessionId } = theirs(ctx)
  const { personId } = await judgePasskey(ctx, body)
  if (personId !== id) throw new ApiError('wrong_credentials')
  await noteShown(ctx.db, id, sessionId)
  return { body: { object: 'done' } }
}
