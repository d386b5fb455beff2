/** Presents a subscriber in the API. */
import type { Subscriber } from '../../contract/subscribers.ts'
import type { SubscriberRow } from '../../db/audience/subscribers.ts'

export const presentSubscriber = (row: SubscriberRow): Subscriber => ({
  object: 'subscriber',
  id: row.id,
  email: row.email,
  status: row.status,
  firstName: row.firstName,
  lastName: row.lastName,
  tags: row.tags,
  fields: row.fields,
  source: row.source,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  confirmed_at: row.confirmedAt?.toISOString() ?? null,
  unsubscribed_at: row.unsubscribedAt?.toISOString() ?? null,
})
