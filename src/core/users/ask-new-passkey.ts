/** POST /person/passkeys/question: the options for a browser to create a new passkey. */
import { randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { userLimits } from '../../contract/workspace/user-schemas.ts'
import type { Database } from '../../database/client/database.ts'
import { insertChallenge, passkeysOf, type PasskeyRow } from '../../db/users/passkeys.ts'
import { findUser } from '../../db/users/users.ts'
import { passkeyTimeoutMs } from './ask-passkey.ts'
import { passkeyHost } from '../identity/passkey-host.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

/** Ed25519, ES256, RS256 (RFC 9053; RFC 8812): every authenticator supports one of them. */
export const passkeyAlgorithms = [-8, -7, -257]

export const askNewPasskey: Verb<'askNewPasskey'> = async (ctx) => {
  const { id: userId } = signedInUser(ctx)
  const [{ email, name }, keys] = await Promise.all([
    findUser(ctx.db, userId),
    refuseTooManyPasskeys(ctx.db, userId),
  ])
  const question = { id: ctx.makeId(), challenge: randomBytes(32).toString('base64url') }
  await insertChallenge(ctx.db, { ...question, userId })
  return {
    body: {
      challenge_id: question.id,
      options: {
        challenge: question.challenge,
        rp: { id: passkeyHost(ctx), name: 'Facteur' },
        user: {
          id: Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url'),
          name: email,
          displayName: name === '' ? email : name,
        },
        pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: passkeyTimeoutMs,
        // The make of the authenticator does not matter.
        attestation: 'none',
        excludeCredentials: keys.map(({ id, transports }) => ({
          id,
          type: 'public-key',
          transports,
        })),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
      },
    },
  }
}

/** Returns the existing passkeys; throws `conflict` at the limit per user. */
export async function refuseTooManyPasskeys(db: Database, userId: string): Promise<PasskeyRow[]> {
  const keys = await passkeysOf(db, userId)
  const limit = userLimits.passkeysMax
  if (keys.length >= limit) throw new ApiError('conflict', { reason: 'too_many', limit })
  return keys
}
