/** POST /session/passkey: signs in by passkey, which is both factors at once. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { noteNetwork } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { networkOf } from '../forms/network-of.ts'
import { judgePasskey } from './judge-passkey.ts'
import { openSession } from './open-session.ts'

export async function signInWithPasskey(
  ctx: CallContext,
  { body }: InputOf<'signInWithPasskey'>,
): Promise<AnswerOf<'signInWithPasskey'>> {
  const { personId } = await judgePasskey(ctx, body)
  await noteNetwork(ctx.db, personId, networkOf(ctx.visit.address))
  return openSession(ctx, ctx.db, personId, 'passkey')
}
