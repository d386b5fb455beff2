/** Defines the columns of a subscriber in a CSV file: exports write them and imports read them. */
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import { joinTags } from '../imports/columns/tag-separators.ts'

export interface SubscriberColumn {
  title: string
  cell(subscriber: SubscriberRow): string
}

/** `keys` are those of the custom fields. */
export const subscriberColumns = (keys: string[]): SubscriberColumn[] => [
  { title: 'email', cell: ({ email }) => email },
  { title: 'firstName', cell: ({ firstName }) => firstName ?? '' },
  { title: 'lastName', cell: ({ lastName }) => lastName ?? '' },
  { title: 'status', cell: ({ status }) => status },
  { title: 'tags', cell: ({ tags }) => joinTags(tags) },
  ...keys.map((key) => ({
    title: `fields.${key}`,
    cell: ({ fields }: SubscriberRow) => (Object.hasOwn(fields, key) ? (fields[key] ?? '') : ''),
  })),
  { title: 'source', cell: ({ source }) => source },
  { title: 'id', cell: ({ id }) => id },
  { title: 'created_at', cell: ({ createdAt }) => time(createdAt) },
  { title: 'updated_at', cell: ({ updatedAt }) => time(updatedAt) },
  { title: 'confirmed_at', cell: ({ confirmedAt }) => time(confirmedAt) },
  { title: 'unsubscribed_at', cell: ({ unsubscribedAt }) => time(unsubscribedAt) },
]

const time = (at: Date | null): string => at?.toISOString() ?? ''
