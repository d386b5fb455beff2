/**
 * POST /password-resets/{token}: sets a new password; all sessions of the user end, and they sign
 * in with it.
 *
 * The account may have been made by somebody other than the mailbox's reader, with an invitation
 * link that was handed over. The first reset by mail therefore removes that maker's passkeys and
 * codes. The page says so before (get-reset), and a mail after.
 */
import type { Database } from '../../database/client/database.ts'
import { dropPasskeys } from '../../db/users/passkeys.ts'
import {
  dropTotp,
  findUser,
  hasUnprovenFactor,
  confirmUserAddress,
  setPassword,
  type UserRow,
} from '../../db/users/users.ts'
import { dropResetLinks } from '../../db/users/user-links.ts'
import { endSessions } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { findTheirMailer, mailUser, type Mailer } from '../identity/mail-user.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { findLink, takeLink } from '../identity/user-link.ts'
import type { Verb } from '../verb.ts'

export const resetPassword: Verb<'resetPassword'> = async (ctx, { params: { token }, body }) => {
  const { userId } = await findLink(ctx.db, 'reset', token)
  const { id, email, language } = await findUser(ctx.db, userId ?? '')
  validatePassword(body.password, email)
  const password = await ctx.passwords.hash(body.password)
  // Known before, since the transaction is that of the workspace which mails the notice.
  const theirMailer = await findTheirMailer(ctx, id)
  const at = theirMailer?.at ?? ctx
  const removed = await at.db.transaction(async (tx) => {
    const { mailed } = await takeLink(tx, 'reset', token)
    await setPassword(tx, id, password)
    await dropResetLinks(tx, id)
    await endSessions(tx, id, null)
    const removes = mailed && (await hasUnprovenFactor(tx, id))
    // Before this reset, the account's maker may have begun a second factor that is not confirmed
    // yet.
    if (mailed && (await confirmUserAddress(tx, id))) await dropOtherWaysIn(tx, id)
    if (removes)
      await notifyFactorRemoved(ctx, tx, { mailer: theirMailer?.mailer ?? null, email, language })
    return removes
  })
  if (removed) at.wake('transactional')
  return { body: { object: 'password_reset', email, second_factor_removed: removed } }
}

async function dropOtherWaysIn(tx: Database, userId: string): Promise<void> {
  await dropPasskeys(tx, userId)
  await dropTotp(tx, userId)
}

/**
 * Notifies a user that passkeys and codes were removed, in case it was not them. If none of their
 * workspaces can send, only the page says it. After the commit the caller wakes the lane
 * `transactional`.
 */
async function notifyFactorRemoved(
  ctx: Pick<CallContext, 'makeId' | 'settings'>,
  tx: Database,
  { mailer, ...user }: Pick<UserRow, 'email' | 'language'> & { mailer: Mailer | null },
): Promise<void> {
  const mail = { kind: 'factor_removed', url: `${ctx.settings.baseUrl}/app/account` } as const
  if (mailer) await mailUser(ctx, tx, { mailer, to: user.email, language: user.language, mail })
}
