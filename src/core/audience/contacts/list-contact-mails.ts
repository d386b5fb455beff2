/** GET /contacts/{who}/mails: all mails to a contact with their outcomes, newest first. */
import type { ContactMail } from '../../../contract/workspace/contacts.ts'
import { contactMailPage, type ContactMailRow } from '../../../db/audience/contact-pages.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { subjectOf } from '../../presentation/subject-of.ts'
import { askedPage, byCreation, pageOf } from '../../input/cursor.ts'
import { findContact } from './find-contact.ts'
import type { Verb } from '../../verb.ts'

export const listContactMails: Verb<'listContactMails'> = async (ctx, { params, query }) => {
  const { email, subscriber } = await findContact(ctx, params.who)
  const page = askedPage(query, [ctx.workspaceId, 'contact_mails', email])
  const subscriberId = subscriber?.id ?? null
  const rows = await contactMailPage(ctx.db, ctx.workspaceId, { email, subscriberId, ...page })
  const show = (row: ContactMailRow): ContactMail => presentContactMail(row, subscriber)
  return {
    body: pageOf(rows, {
      ...page,
      position: ({ at, id }) => byCreation({ createdAt: at, id }),
      show,
    }),
  }
}

export const presentContactMail = (
  row: ContactMailRow,
  reader: SubscriberRow | null,
): ContactMail => ({
  object: 'contact_mail',
  ...{ kind: row.kind, id: row.id, name: row.name },
  subject: subjectOf({
    subject: row.subject,
    campaignId: row.kind === 'campaign' ? row.id : null,
    reader,
  }),
  ...{ status: row.status, error: row.error, response: row.response },
  at: row.at.toISOString(),
  sent_at: row.sentAt?.toISOString() ?? null,
  delivered_at: row.deliveredAt?.toISOString() ?? null,
  opened_at: row.openedAt?.toISOString() ?? null,
  clicked_at: row.clickedAt?.toISOString() ?? null,
  unsubscribed_at: row.unsubscribedAt?.toISOString() ?? null,
})
