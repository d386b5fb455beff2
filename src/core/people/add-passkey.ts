/** POST /person/passkeys: keeps the public key of a new passkey. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { insertPasskey, takeChallenge } from '../../db/passkeys.ts'
import { holdSession } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { judgePasskeyRoom, passkeyAlgorithms } from './ask-new-passkey.ts'
import { passkeyHost, passkeyOrigin } from './passkey-host.ts'
import { readPersonName } from './read-person-name.ts'
import { theirs } from './theirs.ts'

export async function addPasskey(ctx: CallContext, { body }: InputOf<'addPasskey'>): Promise<AnswerOf<'addPasskey'>> {
  const { id: personId, sessionId } = theirs(ctx)
  const { challenge_id: challengeId, response } = body
  const name = readPersonName(body.name)
  const challenge = await takeChallenge(ctx.db, challengeId, personId)
  if (challenge === null) throw new ApiError('wrong_credentials')
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const judged = await verifyRegistrationResponse({
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
  if (!judged?.verified) throw new ApiError('wrong_credentials')
  const { id, publicKey, counter } = judged.registrationInfo.credential
  const transports = response.response.transports ?? []
  await ctx.db.transaction(async (tx) => {
    // Two at once cannot pass the limit together, and none comes behind a new password that ended the session.
    if (!(await holdSession(tx, personId, sessionId))) throw new ApiError('not_signed_in')
    await judgePasskeyRoom(tx, personId)
    const isNew = await insertPasskey(tx, { id, personId, name, publicKey: Buffer.from(publicKey), counter, transports })
    if (!isNew) throw new ApiError('conflict', { reason: 'known' })
  })
  return { body: { object: 'passkey', id, name } }
}
