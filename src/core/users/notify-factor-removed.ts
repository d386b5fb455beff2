/** Tells a person by mail that passkeys and codes went with their old password: whoever did it may not have been them. */
import type { Database } from '../../db/connection/connect.ts'
import type { UserRow } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { findTheirMailer, mailUser } from '../identity/mail-user.ts'

/** Where no workspace of theirs can send, the page alone tells it. Whoever commits wakes the lane `transactional`. */
export async function notifyFactorRemoved(
  ctx: Pick<CallContext, 'makeId' | 'settings'>,
  tx: Database,
  person: Pick<UserRow, 'id' | 'email' | 'language'>,
): Promise<void> {
  const mailer = await findTheirMailer(tx, person.id)
  const mail = { kind: 'factor_removed', url: `${ctx.settings.baseUrl}/app/account` } as const
  if (mailer) await mailUser(ctx, tx, mailer, { to: person.email, language: person.language, mail })
}
