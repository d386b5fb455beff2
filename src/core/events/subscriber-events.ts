/** Publishes the events of subscribers and of suppressed addresses (semantics 4: Event data). */
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../database/client/database.ts'
import { subscribersById, suppressionsMade } from '../../db/events/event-facts.ts'
import type { SubscriberRow } from '../../db/audience/subscribers.ts'
import { subscribedTypesOf } from '../../db/events/events.ts'
import { presentResendContact } from '../presentation/present-resend-contact.ts'
import { presentSubscriber } from '../presentation/present-subscriber.ts'
import { presentSuppression } from '../presentation/present-suppression.ts'
import { publishEvents, type NewEvent } from './publish-events.ts'

type SubscriberEventType = Extract<EventType, `subscriber.${string}`>

/** `reason`: why the subscriber unsubscribed. */
export const subscriberEvent = (
  type: SubscriberEventType,
  row: SubscriberRow,
  reason: string | null = null,
): NewEvent => ({
  type,
  data: { ...presentSubscriber(row), reason },
})

const contactEvent = (
  type: Extract<EventType, `contact.${string}`>,
  row: SubscriberRow,
): NewEvent => ({ type, data: presentResendContact(row) })

/** The changes of one transaction to subscribers and to the suppression list. */
export interface SubscriberChanges {
  created?: SubscriberRow[]
  /** Names, tags or fields were written. */
  updated?: SubscriberRow[]
  /** Identifiers of subscribers who confirmed. */
  confirmed?: string[]
  left?: { id: string; reason: string }[]
  /**
   * Addresses that may have been suppressed. An address that was suppressed before has no event.
   */
  suppressed?: string[]
}

/**
 * Call it last in the transaction. Returns the number of pending deliveries: if there are any, wake
 * the lane `webhook`.
 */
export async function publishSubscriberChanges(
  tx: Database,
  workspaceId: number,
  { created = [], updated = [], confirmed = [], left = [], suppressed = [] }: SubscriberChanges,
): Promise<number> {
  if ([created, updated, confirmed, left, suppressed].every(({ length }) => length === 0)) return 0
  const subscribed = await subscribedTypesOf(tx, workspaceId)
  if (subscribed.size === 0) return 0
  const has = (type: EventType): boolean => subscribed.has(type)
  const requested = [
    ...(has('subscriber.confirmed') || has('contact.updated') ? confirmed : []),
    ...(has('subscriber.unsubscribed') || has('contact.updated') ? left : []),
  ]
  const ids = requested.map((item) => (typeof item === 'string' ? item : item.id))
  const subscribers = new Map(
    (ids.length === 0 ? [] : await subscribersById(tx, workspaceId, ids)).map((row) => [
      row.id,
      row,
    ]),
  )
  const eventOf = (type: SubscriberEventType, id: string, reason: string | null): NewEvent[] => {
    const row = subscribers.get(id)
    return row ? [subscriberEvent(type, row, reason)] : []
  }
  return publishEvents(tx, workspaceId, [
    ...created.flatMap(createdEvents),
    ...[...updated, ...subscribers.values()].map((row) => contactEvent('contact.updated', row)),
    ...confirmed.flatMap((id) => eventOf('subscriber.confirmed', id, null)),
    ...left.flatMap(({ id, reason }) => eventOf('subscriber.unsubscribed', id, reason)),
    ...(subscribed.has('suppression.created')
      ? await suppressionEvents(tx, workspaceId, suppressed)
      : []),
  ])
}

const createdEvents = (row: SubscriberRow): NewEvent[] => [
  subscriberEvent('subscriber.created', row),
  contactEvent('contact.created', row),
]

/**
 * Publishes `subscriber.created` and `contact.created` for imported subscribers: of these
 * identifiers, those that exist.
 */
export async function publishMade(tx: Database, workspaceId: number, ids: string[]): Promise<void> {
  const subscribed = await subscribedTypesOf(tx, workspaceId)
  if (!subscribed.has('subscriber.created') && !subscribed.has('contact.created')) return
  const subscribers = await subscribersById(tx, workspaceId, ids)
  await publishEvents(tx, workspaceId, subscribers.flatMap(createdEvents))
}

/** Makes events for those of the addresses that this transaction suppressed. */
export async function suppressionEvents(
  tx: Database,
  workspaceId: number,
  emails: string[],
): Promise<NewEvent[]> {
  const suppressions = emails.length === 0 ? [] : await suppressionsMade(tx, workspaceId, emails)
  return suppressions.map((row) => ({ type: 'suppression.created', data: presentSuppression(row) }))
}
