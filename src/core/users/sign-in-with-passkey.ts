/** POST /session/passkey: signs in by passkey, which counts as both factors. */
import { recordNetwork } from '../../db/users/users.ts'
import { networkOf } from '../network-of.ts'
import { checkPasskey } from './check-passkey.ts'
import { openUserSession } from '../identity/open-session.ts'
import type { Verb } from '../verb.ts'

export const signInWithPasskey: Verb<'signInWithPasskey'> = async (ctx, { body }) => {
  const { userId } = await checkPasskey(ctx, body)
  await recordNetwork(ctx.db, userId, networkOf(ctx.requester.address))
  return openUserSession(ctx, ctx.db, { userId, method: 'passkey' })
}
