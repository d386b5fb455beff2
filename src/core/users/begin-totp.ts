/** POST /person/totp: makes a secret for the user's app; it takes effect with the first code. */
import { ApiError } from '../../contract/errors.ts'
import { startTotp } from '../../db/users/users.ts'
import { totpPurpose } from './check-credentials.ts'
import { passkeyHost } from '../identity/passkey-host.ts'
import { signedInUser } from '../signed-in-user.ts'
import { makeTotpSecret, totpUri } from './totp.ts'
import type { Verb } from '../verb.ts'

export const beginTotp: Verb<'beginTotp'> = async (ctx) => {
  const { id, email } = signedInUser(ctx)
  const secret = makeTotpSecret()
  const isStarted = await startTotp(ctx.db, id, ctx.secrets.seal(secret, totpPurpose(id)))
  if (!isStarted) throw new ApiError('conflict', { reason: 'in_use' })
  const uri = totpUri(secret, { issuer: `Facteur ${passkeyHost(ctx)}`, account: email })
  return { body: { object: 'totp', secret, uri } }
}
