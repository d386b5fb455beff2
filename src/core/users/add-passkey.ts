/** POST /person/passkeys: stores the public key of a new passkey. */
import { ApiError } from '../../contract/errors.ts'
import { insertPasskey, takeChallenge } from '../../db/users/passkeys.ts'
import { lockSession } from '../../db/users/sessions.ts'
import { refuseTooManyPasskeys, passkeyAlgorithms } from './ask-new-passkey.ts'
import { passkeyHost, passkeyOrigin } from '../identity/passkey-host.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const addPasskey: Verb<'addPasskey'> = async (ctx, { body }) => {
  const { id: userId, sessionId } = signedInUser(ctx)
  const { challenge_id: challengeId, response } = body
  const name = readUserName(body.name)
  const challenge = await takeChallenge(ctx.db, challengeId, userId)
  if (challenge === null) throw new ApiError('wrong_credentials')
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: passkeyOrigin(ctx),
    expectedRPID: passkeyHost(ctx),
    requireUserVerification: true,
    supportedAlgorithmIDs: passkeyAlgorithms,
  }).catch((error: unknown) => {
    ctx.log.debug({ err: error }, 'A new passkey was refused')
    return null
  })
  if (!checked?.verified) throw new ApiError('wrong_credentials')
  const { id, publicKey, counter } = checked.registrationInfo.credential
  const transports = response.response.transports ?? []
  await ctx.db.transaction(async (tx) => {
    // Locks the session: concurrent calls cannot exceed the limit, and no passkey is added after a
    // new password ended the session.
    if (!(await lockSession(tx, userId, sessionId))) throw new ApiError('not_signed_in')
    await refuseTooManyPasskeys(tx, userId)
    const isNew = await insertPasskey(tx, {
      id,
      userId,
      name,
      publicKey: Buffer.from(publicKey),
      counter,
      transports,
    })
    if (!isNew) throw new ApiError('conflict', { reason: 'known' })
  })
  return { body: { object: 'passkey', id, name } }
}
