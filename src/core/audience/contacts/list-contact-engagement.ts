/** GET /contacts/{who}/engagement: a contact's opens and clicks, newest first. */
import type { ContactEngagement } from '../../../contract/workspace/contacts.ts'
import {
  contactEngagementPage,
  type ContactEngagementRow,
} from '../../../db/audience/contact-pages.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { subjectOf } from '../../presentation/subject-of.ts'
import { askedPage, byCreation, pageOf } from '../../input/cursor.ts'
import { findContact } from './find-contact.ts'
import type { Verb } from '../../verb.ts'

export const listContactEngagement: Verb<'listContactEngagement'> = async (
  ctx,
  { params, query },
) => {
  const { email, subscriber } = await findContact(ctx, params.who)
  const page = askedPage(query, [ctx.workspaceId, 'contact_engagement', email])
  const subscriberId = subscriber?.id ?? null
  const rows = await contactEngagementPage(ctx.db, ctx.workspaceId, {
    email,
    subscriberId,
    ...page,
  })
  const show = (row: ContactEngagementRow): ContactEngagement =>
    presentContactEngagement(row, subscriber)
  return {
    body: pageOf(rows, {
      ...page,
      position: ({ at, id }) => byCreation({ createdAt: at, id }),
      show,
    }),
  }
}

export const presentContactEngagement = (
  { id, kind, visitor, at, url, userAgent, subject, emailId, campaignId }: ContactEngagementRow,
  reader: SubscriberRow | null,
): ContactEngagement => ({
  object: 'contact_engagement',
  ...{ id, kind, visitor, at: at.toISOString(), url },
  subject: subjectOf({ subject, campaignId, reader }),
  ...{ user_agent: userAgent, email_id: emailId, campaign_id: campaignId },
})
