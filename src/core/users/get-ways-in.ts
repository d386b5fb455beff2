/** GET /person/ways-in: the ways in which the user can sign in. */
import { passkeysOf } from '../../db/users/passkeys.ts'
import { findSecrets } from '../../db/users/users.ts'
import { passkeyHost } from '../identity/passkey-host.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const getWaysIn: Verb<'getWaysIn'> = async (ctx) => {
  const { id, email } = signedInUser(ctx)
  const [secrets, passkeys] = await Promise.all([
    findSecrets(ctx.db, email),
    passkeysOf(ctx.db, id),
  ])
  const shown = passkeys.map(({ id: keyId, name, createdAt, lastUsedAt }) => ({
    ...{ id: keyId, name, created_at: createdAt.toISOString() },
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }))
  return {
    body: {
      object: 'ways_in',
      password: secrets?.password !== null,
      totp: Boolean(secrets?.totpSecret),
      recovery_codes: secrets?.recoveryCodes ?? 0,
      passkeys: shown,
      passkey_host: passkeyHost(ctx),
    },
  }
}
