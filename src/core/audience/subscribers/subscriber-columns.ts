/** Defines the columns of a subscriber in a CSV file: exports write them and imports read them. */
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { joinTags } from '../imports/columns/tag-separators.ts'

export interface SubscriberColumn {
  title: string
  value(subscriber: SubscriberRow): string
}

/** `keys` are those of the custom fields. */
export const subscriberColumns = (keys: string[]): SubscriberColumn[] => [
  { title: 'email', value: ({ email }) => email },
  { title: 'firstName', value: ({ firstName }) => firstName ?? '' },
  { title: 'lastName', value: ({ lastName }) => lastName ?? '' },
  { title: 'status', value: ({ status }) => status },
  { title: 'tags', value: ({ tags }) => joinTags(tags) },
  ...keys.map((key) => ({
    title: `fields.${key}`,
    value: ({ fields }: SubscriberRow) => (Object.hasOwn(fields, key) ? (fields[key] ?? '') : ''),
  })),
  { title: 'source', value: ({ source }) => source },
  { title: 'id', value: ({ id }) => id },
  { title: 'created_at', value: ({ createdAt }) => time(createdAt) },
  { title: 'updated_at', value: ({ updatedAt }) => time(updatedAt) },
  { title: 'confirmed_at', value: ({ confirmedAt }) => time(confirmedAt) },
  { title: 'unsubscribed_at', value: ({ unsubscribedAt }) => time(unsubscribedAt) },
]

const time = (at: Date | null): string => at?.toISOString() ?? ''
