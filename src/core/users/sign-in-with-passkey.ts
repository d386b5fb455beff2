/** POST /session/passkey: signs in by passkey, which counts as both factors. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { noteNetwork } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { networkOf } from '../network-of.ts'
import { checkPasskey } from './check-passkey.ts'
import { openUserSession } from '../identity/open-session.ts'

export async function signInWithPasskey(
  ctx: CallContext,
  { body }: InputOf<'signInWithPasskey'>,
): Promise<AnswerOf<'signInWithPasskey'>> {
  const { personId } = await checkPasskey(ctx, body)
  await noteNetwork(ctx.db, personId, networkOf(ctx.requester.address))
  return openUserSession(ctx, ctx.db, personId, 'passkey')
}
