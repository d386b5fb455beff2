/** Reads what a contact receives, for their page: the topics of the workspace and a language. */
import type { Database } from '../../../database/client/database.ts'
import { subscriberById, type SubscriberRow } from '../../../db/audience/subscribers.ts'
import {
  languageOfContact,
  topicsOfContact,
  type TopicOfContact,
} from '../../../db/audience/topic-choices.ts'
import type { RecipientLanguage } from '../../../ground/texts/languages.ts'

export interface Preferences {
  email: string
  status: SubscriberRow['status']
  /** Null means the contact chose none. */
  language: RecipientLanguage | null
  topics: TopicOfContact[]
}

/** Null when there is no such subscriber: they were erased. */
export async function findPreferences(
  { db }: { db: Database },
  { workspaceId, subscriberId }: { workspaceId: number; subscriberId: string },
): Promise<Preferences | null> {
  const [subscriber, language, topics] = await Promise.all([
    subscriberById(db, workspaceId, subscriberId),
    languageOfContact(db, workspaceId, subscriberId),
    topicsOfContact(db, workspaceId, subscriberId),
  ])
  return subscriber && { email: subscriber.email, status: subscriber.status, language, topics }
}
