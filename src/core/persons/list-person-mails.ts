/** GET /persons/{who}/mails: everything that was sent to a person and what became of it, newest first. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { PersonMail } from '../../contract/workspace/persons.ts'
import { personMailPage } from '../../db/person-pages.ts'
import type { PersonMailRow } from '../../db/person-pages.ts'
import type { SubscriberRow } from '../../db/subscribers.ts'
import { subjectOf } from '../campaigns/subject-of.ts'
import type { CallContext } from '../context.ts'
import { pageOf, readCursor } from '../cursor.ts'
import { findPerson } from './find-person.ts'

export async function listPersonMails(
  ctx: CallContext,
  { params, query }: InputOf<'listPersonMails'>,
): Promise<AnswerOf<'listPersonMails'>> {
  const { email, subscriber } = await findPerson(ctx, params.who)
  const limit = query.limit ?? limits.pageDefault
  const binding = [ctx.workspaceId, 'person_mails', email]
  const before = readCursor(query.cursor, binding)
  const subscriberId = subscriber?.id ?? null
  const rows = await personMailPage(ctx.db, ctx.workspaceId, { email, subscriberId, before, most: limit + 1 })
  const show = (row: PersonMailRow): PersonMail => showMail(row, subscriber)
  return { body: pageOf(rows, { limit, binding, place: ({ at, id }) => ({ at: at.toISOString(), id }), show }) }
}

const showMail = (row: PersonMailRow, reader: SubscriberRow | null): PersonMail => ({
  object: 'person_mail',
  ...{ kind: row.kind, id: row.id, name: row.name },
  subject: subjectOf({ subject: row.subject, campaignId: row.kind === 'campaign' ? row.id : null, reader }),
  ...{ status: row.status, error: row.error, response: row.response },
  at: row.at.toISOString(),
  sent_at: row.sentAt?.toISOString() ?? null,
  delivered_at: row.deliveredAt?.toISOString() ?? null,
  opened_at: row.openedAt?.toISOString() ?? null,
  clicked_at: row.clickedAt?.toISOString() ?? null,
  unsubscribed_at: row.unsubscribedAt?.toISOString() ?? null,
})
