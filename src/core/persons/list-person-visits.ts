/** GET /persons/{who}/visits: what a person opened and clicked, newest first. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { PersonVisit } from '../../contract/workspace/persons.ts'
import { personVisitPage } from '../../db/person-pages.ts'
import type { PersonVisitRow } from '../../db/person-pages.ts'
import type { SubscriberRow } from '../../db/subscribers.ts'
import { subjectOf } from '../campaigns/subject-of.ts'
import type { CallContext } from '../context.ts'
import { pageOf, readCursor } from '../cursor.ts'
import { findPerson } from './find-person.ts'

export async function listPersonVisits(
  ctx: CallContext,
  { params, query }: InputOf<'listPersonVisits'>,
): Promise<AnswerOf<'listPersonVisits'>> {
  const { email, subscriber } = await findPerson(ctx, params.who)
  const limit = query.limit ?? limits.pageDefault
  const binding = [ctx.workspaceId, 'person_visits', email]
  const before = readCursor(query.cursor, binding)
  const subscriberId = subscriber?.id ?? null
  const rows = await personVisitPage(ctx.db, ctx.workspaceId, { email, subscriberId, before, most: limit + 1 })
  const show = (row: PersonVisitRow): PersonVisit => showVisit(row, subscriber)
  return { body: pageOf(rows, { limit, binding, place: ({ at, id }) => ({ at: at.toISOString(), id }), show }) }
}

const showVisit = (
  { id, kind, visitor, at, url, userAgent, subject, emailId, campaignId }: PersonVisitRow,
  reader: SubscriberRow | null,
): PersonVisit => ({
  object: 'person_visit',
  ...{ id, kind, visitor, at: at.toISOString(), url },
  subject: subjectOf({ subject, campaignId, reader }),
  ...{ user_agent: userAgent, email_id: emailId, campaign_id: campaignId },
})
