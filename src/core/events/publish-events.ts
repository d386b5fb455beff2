/**
 * Publishes events in the transaction of the change that they report, so that both commit or
 * neither does (the outbox).
 */
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../database/client/database.ts'
import { insertEvents } from '../../db/events/events.ts'

/** An event to publish. Publishing gives it an identifier and a time. */
export interface NewEvent<Type extends EventType = EventType> {
  type: Type
  /** The `data` of the body (contract/events.ts). */
  data: object
}

/**
 * Stores the events that a webhook subscribes to, each body once, with one delivery per enabled
 * subscription, and wakes the lane `webhook`. Make it the last statement of the transaction, since
 * it locks the lane's hint. Returns the number of pending deliveries; after the commit,
 * `wake('webhook')` starts them without a delay.
 */
export async function publishEvents(
  tx: Database,
  workspaceId: number,
  events: readonly NewEvent[],
): Promise<number> {
  if (events.length === 0) return 0
  const rows = events.map(({ type, data }) => ({ type, data: JSON.stringify(data) }))
  return insertEvents(tx, workspaceId, rows)
}
