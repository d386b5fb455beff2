/** Pages show a contact's status, source and name by these values. */
import type { SubscriberStatus } from '../../../../src/contract/subscribers.ts'
import type { Got } from '../../api/client.ts'
import { toneOf } from '../../parts/StateBadge.tsx'
import type { Tone } from '../../parts/tone.ts'

/** All that is known of one address. */
export type KnownContact = Got<'getContact'>

export const subscriberStatuses = [
  'subscribed',
  'pending',
  'unsubscribed',
  'bounced',
  'complained',
] as const satisfies SubscriberStatus[]
/** What a change of the audience makes old. */
export const audienceReads = [
  'listFilteredContacts',
  'countFilteredContacts',
  'getAudienceTotals',
  'listSubscribers',
] as const

/** A suppressed contact's own request. One who subscribed again since then has none. */
export const erasureRequest = ({ consents, suppression }: KnownContact) =>
  suppression.length === 0 ? undefined : consents.findLast(({ act }) => act === 'erasure_requested')

/** As a change of one contact names it. */
export const keyOfChanges = ({ subscriber, email }: KnownContact): string => subscriber?.id ?? email

export const sources = ['api', 'form', 'import', 'workspace'] as const

/** Contacts who left are as they want to be: nothing to warn of. */
export const subscriberTone = (status: SubscriberStatus): Tone =>
  status === 'unsubscribed' ? 'quiet' : toneOf(status)

export const fullName = ({
  firstName,
  lastName,
}: {
  firstName: string | null
  lastName: string | null
}): string => [firstName, lastName].filter(Boolean).join(' ')
