/** Presents one subscriber with what they chose: topics and a language. */
import type { SubscriberDetail } from '../../../contract/subscribers.ts'
import type { Database } from '../../../database/client/database.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { languageOfContact, topicsOfContact } from '../../../db/audience/topic-choices.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'

export async function subscriberDetail(
  { db }: { db: Database },
  { workspaceId, row }: { workspaceId: number; row: SubscriberRow },
): Promise<SubscriberDetail> {
  const [language, topics] = await Promise.all([
    languageOfContact(db, workspaceId, row.id),
    topicsOfContact(db, workspaceId, row.id),
  ])
  const chosen = topics.map(({ id, name, subscribed }) => ({ id, name, subscribed }))
  return { ...presentSubscriber(row), language, topics: chosen }
}
