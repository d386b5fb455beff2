/** Publishes events in the transaction of what they tell of, so that neither is ever there without the other (the outbox). */
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../db/connection/connect.ts'
import { insertEvents, typesHeard } from '../../db/events/events.ts'

/** What happened. Its identifier and time are given as it is published. */
export interface NewEvent {
  type: EventType
  /** What `data` of the body holds (contract/events.ts). */
  data: object
}

/**
 * The types that some subscription of the workspace listens to: one look-up by key. Ask before making events whose data costs
 * something; nobody listening is what most workspaces answer.
 */
export async function eventsHeard(tx: Database, workspaceId: number): Promise<ReadonlySet<EventType>> {
  return new Set(await typesHeard(tx, workspaceId))
}

/**
 * Keeps those events that somebody listens to, each body once, with one delivery for each enabled subscription of its type, and
 * has the lane `webhook` look. To be the last statement of the transaction: the hint of the lane is locked by it. Answers how
 * many deliveries are owed; whoever commits then calls `wake('webhook')`, which saves them a nap.
 */
export async function publishEvents(tx: Database, workspaceId: number, events: readonly NewEvent[]): Promise<number> {
  if (events.length === 0) return 0
  const rows = events.map(({ type, data }) => ({ type, data: JSON.stringify(data) }))
  return insertEvents(tx, workspaceId, rows)
}
