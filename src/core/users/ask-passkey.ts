/**
 * POST /session/passkey/question: the options for a browser to sign with a passkey, to sign in or
 * to prove an identity again.
 */
import { randomBytes } from 'node:crypto'
import { insertChallenge } from '../../db/users/passkeys.ts'
import { passkeyHost } from '../identity/passkey-host.ts'
import type { Verb } from '../verb.ts'

/** How long a browser waits for the user, in milliseconds. */
export const passkeyTimeoutMs = 120_000

export const askPasskey: Verb<'askPasskey'> = async (ctx) => {
  const question = { id: ctx.makeId(), challenge: randomBytes(32).toString('base64url') }
  await insertChallenge(ctx.db, { ...question, userId: null })
  const { id, challenge } = question
  return {
    body: {
      challenge_id: id,
      options: {
        challenge,
        rpId: passkeyHost(ctx),
        timeout: passkeyTimeoutMs,
        userVerification: 'required',
      },
    },
  }
}
