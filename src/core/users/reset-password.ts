/**
 * POST /password-resets/{token}: a new password; all sessions of the person die, and they sign in with it.
 *
 * An account may have been made by somebody else than the reader of its address: whoever was handed a link of an invitation. What
 * they left to come in by goes when the mailbox speaks for the first time. It was told before (get-reset), and is told in a mail.
 */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { Database } from '../../db/connection/connect.ts'
import { dropPasskeys } from '../../db/users/passkeys.ts'
import { dropTotp, findUser, hasUnprovenFactor, confirmUserAddress, setPassword } from '../../db/users/users.ts'
import { dropResetLinks } from '../../db/users/user-links.ts'
import { endSessions } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { notifyFactorRemoved } from './notify-factor-removed.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { findLink, takeLink } from '../identity/user-link.ts'

export async function resetPassword(
  ctx: CallContext,
  { params: { token }, body }: InputOf<'resetPassword'>,
): Promise<AnswerOf<'resetPassword'>> {
  const { personId } = await findLink(ctx.db, 'reset', token)
  const { id, email, language } = await findUser(ctx.db, personId ?? '')
  validatePassword(body.password, email)
  const password = await ctx.passwords.hash(body.password)
  const removed = await ctx.db.transaction(async (tx) => {
    const { mailed } = await takeLink(tx, 'reset', token)
    await setPassword(tx, id, password)
    await dropResetLinks(tx, id)
    await endSessions(tx, id, null)
    const removes = mailed && (await hasUnprovenFactor(tx, id))
    // Before this one, whoever made the account may have begun what is no second factor yet.
    if (mailed && (await confirmUserAddress(tx, id))) await dropOtherWaysIn(tx, id)
    if (removes) await notifyFactorRemoved(ctx, tx, { id, email, language })
    return removes
  })
  if (removed) ctx.wake('transactional')
  return { body: { object: 'password_reset', email, second_factor_removed: removed } }
}

async function dropOtherWaysIn(tx: Database, personId: string): Promise<void> {
  await dropPasskeys(tx, personId)
  await dropTotp(tx, personId)
}
