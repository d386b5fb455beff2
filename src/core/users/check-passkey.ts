/**
 * Verifies a passkey's signature: the challenge is ours and used once, the key is known, and the
 * counter increases.
 */
import { ApiError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/operations.ts'
import { findPasskey, recordPasskeyUse, takeChallenge } from '../../db/users/passkeys.ts'
import type { CallContext } from '../context.ts'
import { passkeyHost, passkeyOrigin } from '../identity/passkey-host.ts'

/** Throws `wrong_credentials` for every failure. */
export async function checkPasskey(
  ctx: CallContext,
  { challenge_id: challengeId, response }: InputOf<'signInWithPasskey'>['body'],
): Promise<{ userId: string; email: string }> {
  const challenge = await takeChallenge(ctx.db, challengeId, null)
  const key = await findPasskey(ctx.db, response.id)
  if (challenge === null || !key) throw new ApiError('wrong_credentials')
  // It takes a third of a second to load, and most processes never need it.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, publicKey, counter } = key
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: passkeyOrigin(ctx),
    expectedRPID: passkeyHost(ctx),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: true,
  }).catch((error: unknown) => {
    ctx.log.debug({ err: error }, 'The signature of a passkey was refused')
    return null
  })
  if (!checked?.verified) throw new ApiError('wrong_credentials')
  if (!(await recordPasskeyUse(ctx.db, id, checked.authenticationInfo.newCounter)))
    throw new ApiError('wrong_credentials')
  return { userId: key.userId, email: key.email }
}
