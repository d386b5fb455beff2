/**
 * Changes states and publishes the events in one transaction. Without a subscribed webhook, the
 * change stays a single statement.
 *
 * The process caches whether a workspace subscribes, and never relies on it: a statement that runs
 * alone names the types that it skips. The statement writes nothing and throws `WebhookSubscribes`
 * when a webhook does subscribe to one of them.
 */
import {
  eventTypesBy,
  type EventType,
  type EventTypeBy,
  type SingleStatement,
} from '../../contract/events.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { WebhookSubscribes } from '../../db/webhooks/subscription-check.ts'
import { subscribedTypesOf } from '../../db/events/events.ts'
import type { Context } from '../context.ts'
import { publishEvents, type NewEvent } from './publish-events.ts'

export interface ChangeAndPublish<Result, Change extends SingleStatement> {
  /** `unsubscribedTypes`: types that probably have no subscription; pass them to the statement. */
  change(db: Database, unsubscribedTypes: readonly EventType[]): Promise<Result>
  /** Makes the events; called only when a webhook subscribes to one of the types. */
  events(
    tx: Database,
    result: Result,
    subscribed: ReadonlySet<EventType>,
  ): Promise<NewEvent<EventTypeBy<Change>>[]>
}

/**
 * The types that each database's workspaces subscribed to when last seen. Workspaces without
 * subscriptions are not stored.
 */
const known = new WeakMap<Connection, Map<number, ReadonlySet<EventType>>>()

/**
 * `of`: which change it is; the types that it may publish follow from the table of the contract.
 */
export async function changeAndPublish<Result, Change extends SingleStatement>(
  ctx: Pick<Context, 'db' | 'wake'>,
  {
    workspaceId,
    of,
    change,
    events,
    alone = ctx.db,
  }: { workspaceId: number; of: Change; alone?: Database } & ChangeAndPublish<Result, Change>,
): Promise<Result> {
  const types = eventTypesBy[of]
  const listeners = known.get(ctx.db) ?? new Map<number, ReadonlySet<EventType>>()
  known.set(ctx.db, listeners)
  const before = listeners.get(workspaceId)
  if (!types.some((type) => before?.has(type))) {
    try {
      return await change(alone, types)
    } catch (error) {
      if (!(error instanceof WebhookSubscribes)) throw error
    }
  }
  const { result, subscribed, pending } = await ctx.db.transaction(async (tx) => {
    const changed = await change(tx, [])
    const subscribedTypes = await subscribedTypesOf(tx, workspaceId)
    const match = types.some((type) => subscribedTypes.has(type))
      ? await events(tx, changed, subscribedTypes)
      : []
    return {
      result: changed,
      subscribed: subscribedTypes,
      pending: await publishEvents(tx, workspaceId, match),
    }
  })
  if (subscribed.size > 0) listeners.set(workspaceId, subscribed)
  else listeners.delete(workspaceId)
  if (pending > 0) ctx.wake('webhook')
  return result
}
