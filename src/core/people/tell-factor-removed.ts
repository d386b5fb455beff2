/** Tells a person by mail that passkeys and codes went with their old password: whoever did it may not have been them. */
import type { Database } from '../../db/connect.ts'
import type { PersonRow } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { findTheirMailer, mailPerson } from './mail-person.ts'

/** Where no workspace of theirs can send, the page alone tells it. Whoever commits wakes the lane `transactional`. */
export async function tellFactorRemoved(
  ctx: Pick<CallContext, 'makeId' | 'settings'>,
  tx: Database,
  person: Pick<PersonRow, 'id' | 'email' | 'language'>,
): Promise<void> {
  const mailer = await findTheirMailer(tx, person.id)
  const mail = { kind: 'factor_removed', url: `${ctx.settings.baseUrl}/app/account` } as const
  if (mailer) await mailPerson(ctx, tx, mailer, { to: person.email, language: person.language, mail })
}
