/**
 * Checks a password, and a second factor if the user has one: rate limited, and alike for addresses
 * without an account.
 *
 * 1. the rate limits: this address from this network, this network, this address from networks that
 *    it never signed in from
 * 2. the password, which takes as long without an account
 * 3. a code of the app, each valid once, or a recovery code
 */
import { ApiError } from '../../contract/errors.ts'
import {
  findSecrets,
  recordNetwork,
  takeRecoveryCode,
  takeTotpStep,
  type UserSecrets,
} from '../../db/users/users.ts'
import { giveBackTry, takeTry, type SignInLimit } from '../../db/users/sign-in-limits.ts'
import type { CallContext } from '../context.ts'
import { networkOf } from '../network-of.ts'
import { recoveryDigest } from './recovery-codes.ts'
import { stepOfCode } from './totp.ts'

/** Tries within a quarter of an hour. */
const pairMax = 10
const networkMax = 60
const addressMax = 30

export interface SignInCredentials {
  /** Lower-cased. */
  email: string
  password: string
  code?: string
}

/**
 * Throws `wrong_credentials`, `second_factor_required`, or `rate_limit_exceeded` after too many
 * tries.
 */
export async function checkCredentials(
  ctx: CallContext,
  { email, password, code }: SignInCredentials,
): Promise<UserSecrets> {
  const network = networkOf(ctx.requester.address)
  const known = await findSecrets(ctx.db, email)
  const rateLimits = rateLimitsOf(email, network, known)
  const waitSeconds = await takeTry(ctx.countingDb, rateLimits)
  if (waitSeconds > 0)
    throw new ApiError('rate_limit_exceeded', { retry_after: waitSeconds }, waitSeconds)
  const isRight = await ctx.passwords.verify(password, known?.password ?? null)
  if (!known || !isRight) throw new ApiError('wrong_credentials')
  if (known.totpSecret && code === undefined) {
    await giveBackTry(ctx.countingDb, rateLimits)
    throw new ApiError('second_factor_required')
  }
  if (known.totpSecret && !(await isSecondFactor(ctx, known, known.totpSecret, code ?? ''))) {
    throw new ApiError('wrong_credentials', { factor: 'code' })
  }
  await giveBackTry(ctx.countingDb, rateLimits)
  await recordNetwork(ctx.db, known.id, network)
  return known
}

/**
 * Attackers who try one address from many networks limit one another, and never the user, who comes
 * from a known network. One network's guesses do not limit other networks either.
 */
function rateLimitsOf(email: string, network: string, known: UserSecrets | null): SignInLimit[] {
  const here = [
    { bucket: `pair ${network} ${email}`, max: pairMax },
    { bucket: `network ${network}`, max: networkMax },
  ]
  return known?.networks.includes(network)
    ? here
    : [...here, { bucket: `address ${email}`, max: addressMax }]
}

async function isSecondFactor(
  ctx: CallContext,
  { id, nowSeconds }: UserSecrets,
  sealed: Buffer,
  code: string,
): Promise<boolean> {
  const digits = code.replaceAll(/\s/g, '')
  if (/^\d{6}$/.test(digits)) {
    const secret = ctx.secrets.open(sealed, totpPurpose(id))
    const step = stepOfCode(secret, digits, nowSeconds)
    return step !== null && takeTotpStep(ctx.db, id, step)
  }
  const digest = recoveryDigest(ctx.secrets, code)
  return digest !== null && takeRecoveryCode(ctx.db, id, digest)
}

/** A sealed secret opens only for its own user. */
export const totpPurpose = (userId: string): string => `totp ${userId}`
