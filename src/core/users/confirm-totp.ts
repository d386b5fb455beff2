/**
 * POST /person/totp/confirmation: checks the app's first code; from then on every sign-in by
 * password requires one.
 */
import { ApiError } from '../../contract/errors.ts'
import { storeTotp as confirm, startedTotp } from '../../db/users/users.ts'
import { totpPurpose } from './check-credentials.ts'
import { digestsOf, makeRecoveryCodes } from './recovery-codes.ts'
import { signedInUser } from '../signed-in-user.ts'
import { stepOfCode } from './totp.ts'
import type { Verb } from '../verb.ts'

export const confirmTotp: Verb<'confirmTotp'> = async (ctx, { body }) => {
  const { id } = signedInUser(ctx)
  const started = await startedTotp(ctx.db, id)
  if (!started) throw new ApiError('conflict', { reason: 'not_begun' })
  const secret = ctx.secrets.open(started.secret, totpPurpose(id))
  const step = stepOfCode(secret, body.code.replaceAll(/\s/g, ''), started.nowSeconds)
  if (step === null) throw new ApiError('wrong_credentials', { factor: 'code' })
  const codes = makeRecoveryCodes()
  const isConfirmed = await confirm(ctx.db, id, {
    secret: started.secret,
    step,
    recoveryCodes: digestsOf(ctx.secrets, codes),
  })
  if (!isConfirmed) throw new ApiError('conflict', { reason: 'not_begun' })
  return { body: { object: 'recovery_codes', codes } }
}
