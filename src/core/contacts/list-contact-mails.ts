/** GET /persons/{who}/mails: all mails to a contact with their outcomes, newest first. */
import { limits } from '../../contract/limits.ts'
import type { ContactMail } from '../../contract/workspace/contacts.ts'
import { contactMailPage } from '../../db/contacts/contact-pages.ts'
import type { ContactMailRow } from '../../db/contacts/contact-pages.ts'
import type { SubscriberRow } from '../../db/subscribers/subscribers.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { findContact } from './find-contact.ts'
import type { Verb } from '../verb.ts'

export const listContactMails: Verb<'listContactMails'> = async (ctx, { params, query }) => {
  const { email, subscriber } = await findContact(ctx, params.who)
  const limit = query.limit ?? limits.pageDefault
  const binding = [ctx.workspaceId, 'person_mails', email]
  const before = readCursor(query.cursor, binding)
  const subscriberId = subscriber?.id ?? null
  const rows = await contactMailPage(ctx.db, ctx.workspaceId, { email, subscriberId, before, most: limit + 1 })
  const show = (row: ContactMailRow): ContactMail => showMail(row, subscriber)
  return { body: pageOf(rows, { limit, binding, place: ({ at, id }) => ({ at: at.toISOString(), id }), show }) }
}

const showMail = (row: ContactMailRow, reader: SubscriberRow | null): ContactMail => ({
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
