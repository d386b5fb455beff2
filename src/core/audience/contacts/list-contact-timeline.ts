/**
 * GET /contacts/{who}/timeline: all that happened to a contact, newest first: consent and choices,
 * changes, mails, opens and clicks.
 */
import type { ContactTimelineEntry } from '../../../contract/workspace/contacts.ts'
import { contactEventPage, type ContactEventRow } from '../../../db/audience/contact-events.ts'
import {
  contactEngagementPage,
  contactMailPage,
  type ContactPageOptions,
} from '../../../db/audience/contact-pages.ts'
import { readOneMoment } from '../../../database/client/read-one-moment.ts'
import { askedPage, pageOf } from '../../input/cursor.ts'
import type { Verb } from '../../verb.ts'
import { consentActOf } from './consent-act.ts'
import { findContact } from './find-contact.ts'
import { presentContactEngagement } from './list-contact-engagement.ts'
import { presentContactMail } from './list-contact-mails.ts'

export const listContactTimeline: Verb<'listContactTimeline'> = async (ctx, { params, query }) => {
  const { email, subscriber } = await findContact(ctx, params.who)
  const page = askedPage(query, [ctx.workspaceId, 'contact_timeline', email])
  const options: ContactPageOptions = { email, subscriberId: subscriber?.id ?? null, ...page }
  const entries = await ctx.db.transaction(async (tx) => {
    await readOneMoment(tx)
    const [events, mails, engagements] = [
      await contactEventPage(tx, ctx.workspaceId, options),
      await contactMailPage(tx, ctx.workspaceId, options),
      await contactEngagementPage(tx, ctx.workspaceId, options),
    ]
    return [
      ...events.map(showEvent),
      ...mails.map((row) => entryOf('mail', row, { mail: presentContactMail(row, subscriber) })),
      ...engagements.map((row) =>
        entryOf('engagement', row, { engagement: presentContactEngagement(row, subscriber) }),
      ),
    ]
  })
  // Each list holds its newest ones, so the newest of all are among them.
  const rows = entries.toSorted(byTime).slice(0, page.max)
  const position = ({ at, id }: ContactTimelineEntry) => ({ at, id })
  return { body: pageOf(rows, { ...page, position, show: (entry) => entry }) }
}

/** Newest first, as the lists are. */
function byTime(entry: ContactTimelineEntry, other: ContactTimelineEntry): number {
  if (entry.at !== other.at) return entry.at < other.at ? 1 : -1
  return entry.id < other.id ? 1 : -1
}

const entryOf = (
  kind: ContactTimelineEntry['kind'],
  { id, at }: { id: string; at: Date },
  parts: Partial<ContactTimelineEntry>,
): ContactTimelineEntry => ({
  object: 'contact_timeline_entry',
  ...{ kind, id, at: at.toISOString() },
  ...{ consent: null, mail: null, engagement: null, source: null, reason: null },
  ...{ parts: null, person: null },
  ...parts,
})

function showEvent(row: ContactEventRow): ContactTimelineEntry {
  const { kind, at, source, reason, parts, member, campaignId, campaignName } = row
  if (kind !== 'consent') return entryOf(kind, row, { source, reason, parts, person: member })
  const campaign = campaignId === null ? null : { id: campaignId, name: campaignName ?? '' }
  return entryOf(kind, row, {
    consent: {
      act: consentActOf(row.act ?? ''),
      ...{ topic: row.topic, source: source ?? '', at: at.toISOString(), shown: row.shown },
      ...{ ip: row.ip, user_agent: row.userAgent, person: member, email_id: row.emailId, campaign },
    },
  })
}
