/** Collects everything that a workspace knows about one address. */
import {
  campaignMailsOfContact,
  consentsOfAddress,
  importRefusalsOf,
  messagesToAddress,
  signUpsOfAddress,
  engagementOfContact,
} from '../../../db/audience/contacts.ts'
import { engagementDates, type EngagementDates } from '../../../db/audience/engagement-dates.ts'
import { subscriberByEmail } from '../../../db/audience/subscribers.ts'
import { suppressionsOf } from '../../../db/suppression/suppressions.ts'
import type { Database } from '../../../database/client/database.ts'
import { subscriberDetail } from '../subscribers/subscriber-detail.ts'
import { presentSuppression } from '../../presentation/present-suppression.ts'

/**
 * `email` is the lower-cased address; `max` bounds each list of mails, opens and clicks. Returns
 * null when nothing is known.
 */
export async function presentContact(
  { db }: { db: Database },
  { workspaceId, email, max }: { workspaceId: number; email: string; max?: number },
) {
  const subscriber = await subscriberByEmail(db, workspaceId, email)
  const subscriberId = subscriber?.id ?? null
  const known = {
    email,
    subscriber: subscriber && (await subscriberDetail({ db }, { workspaceId, row: subscriber })),
    last_engagement: await lastEngagement(db, workspaceId, subscriberId),
    suppression: (await suppressionsOf(db, workspaceId, [email])).map(presentSuppression),
    consents: await consentsOfAddress(db, workspaceId, email),
    sign_ups: await signUpsOfAddress(db, workspaceId, email),
    import_refusals: await importRefusalsOf(db, workspaceId, email),
    emails: await messagesToAddress(db, workspaceId, email, max),
    campaigns:
      subscriberId === null ? [] : await campaignMailsOfContact(db, workspaceId, subscriberId, max),
    requests: await engagementOfContact(db, workspaceId, { email, subscriberId }, max),
  }
  const { suppression, consents, sign_ups: signUps, import_refusals: refusals, emails } = known
  const isKnown =
    subscriber !== null ||
    [suppression, consents, signUps, refusals, emails].some((rows) => rows.length > 0)
  return isKnown ? known : null
}

/** Null where the address is of no subscriber. */
export async function lastEngagement(
  db: Database,
  workspaceId: number,
  subscriberId: string | null,
) {
  if (subscriberId === null) return null
  const dates = await engagementDates(db, workspaceId, subscriberId)
  return dates && presentDates(dates)
}

const presentDates = ({ receivedAt, openedAt, openedDirectlyAt, clickedAt }: EngagementDates) => ({
  received_at: receivedAt?.toISOString() ?? null,
  opened_at: openedAt?.toISOString() ?? null,
  opened_directly_at: openedDirectlyAt?.toISOString() ?? null,
  clicked_at: clickedAt?.toISOString() ?? null,
})
