/** Presents a subscriber as a contact in the form of Resend. */
import { everyoneId, type Subscriber } from '../../contract/subscribers.ts'
import type { SubscriberRow } from '../../db/audience/subscribers.ts'
import { presentSubscriber } from './present-subscriber.ts'

/** A pending contact has not left; `status` says more than Resend's two states. */
export const isReached = ({ status }: Pick<Subscriber, 'status'>): boolean =>
  status === 'subscribed' || status === 'pending'

export const contactNames = (contact: Subscriber) => ({
  first_name: contact.firstName,
  last_name: contact.lastName,
  unsubscribed: !isReached(contact),
})

export function presentResendContact(row: SubscriberRow) {
  const contact = presentSubscriber(row)
  return {
    ...contact,
    ...contactNames(contact),
    audience_id: everyoneId,
    segment_ids: contact.status === 'subscribed' ? [everyoneId] : [],
  }
}
