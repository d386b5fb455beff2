/** Notifies a user by mail that passkeys and codes were removed with their old password, in case it was not them. */
import type { Database } from '../../db/connection/connect.ts'
import type { UserRow } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { findTheirMailer, mailUser } from '../identity/mail-user.ts'

/** If none of their workspaces can send, only the page says it. After the commit the caller wakes the lane `transactional`. */
export async function notifyFactorRemoved(
  ctx: Pick<CallContext, 'makeId' | 'settings'>,
  tx: Database,
  user: Pick<UserRow, 'id' | 'email' | 'language'>,
): Promise<void> {
  const mailer = await findTheirMailer(tx, user.id)
  const mail = { kind: 'factor_removed', url: `${ctx.settings.baseUrl}/app/account` } as const
  if (mailer) await mailUser(ctx, tx, { mailer, to: user.email, language: user.language, mail })
}
