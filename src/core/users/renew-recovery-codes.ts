/** POST /person/recovery-codes: makes new recovery codes; previous ones stop working. */
import { ApiError } from '../../contract/errors.ts'
import { setRecoveryCodes } from '../../db/users/users.ts'
import { digestsOf, makeRecoveryCodes } from './recovery-codes.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const renewRecoveryCodes: Verb<'renewRecoveryCodes'> = async (ctx) => {
  const codes = makeRecoveryCodes()
  const areKept = await setRecoveryCodes(
    ctx.db,
    signedInUser(ctx).id,
    digestsOf(ctx.secrets, codes),
  )
  if (!areKept) throw new ApiError('conflict', { reason: 'no_second_factor' })
  return { body: { object: 'recovery_codes', codes } }
}
