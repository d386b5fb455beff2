/** POST /password-resets: mails a link for a new password, if the address has an account. */
import { findUserByEmail } from '../../db/users/users.ts'
import { takeTry } from '../../db/users/sign-in-limits.ts'
import type { CallContext } from '../context.ts'
import { networkOf } from '../network-of.ts'
import { findTheirMailer, mailUser } from '../identity/mail-user.ts'
import { makeUserLink } from '../identity/user-link.ts'
import { readLoginEmail } from '../identity/read-login-email.ts'
import type { Verb } from '../verb.ts'

/** Mails within a quarter of an hour. */
const addressMax = 3
const networkMax = 20

/**
 * Answers before it looks the address up: neither content nor timing reveals whether there is an
 * account.
 */
export const askForReset: Verb<'askForReset'> = async (ctx, { body }) => {
  const email = readLoginEmail(body.email)
  mailReset(ctx, email).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'A link to reset a password was not mailed'),
  )
  return { body: { object: 'done' } }
}

async function mailReset(ctx: CallContext, email: string): Promise<void> {
  const rateLimits = [
    { bucket: `reset ${email}`, max: addressMax },
    { bucket: `resets ${networkOf(ctx.requester.address)}`, max: networkMax },
  ]
  if ((await takeTry(ctx.countingDb, rateLimits)) > 0) return
  const user = await findUserByEmail(ctx.db, email)
  if (!user) return
  const theirMailer = await findTheirMailer(ctx, user.id)
  if (!theirMailer) {
    ctx.log.warn(
      { userId: user.id },
      'A link to reset a password was not mailed: no workspace of the user can send',
    )
    return
  }
  const { mailer, at } = theirMailer
  await at.db.transaction(async (tx) => {
    const { url } = await makeUserLink(ctx, tx, { purpose: 'reset', userId: user.id, mailed: true })
    await mailUser(ctx, tx, {
      mailer,
      to: email,
      language: user.language,
      mail: { kind: 'reset', url },
    })
  })
  at.wake('transactional')
}
