/**
 * Changes states and publishes what became of them, in one transaction; where nobody listens, the change stays the one statement
 * that it is, and pays a look into an index.
 *
 * Whether somebody listens is remembered by the process, and never relied on: a statement that runs alone names the types that it
 * does not publish, and is refused whole by the database when somebody listens to one of them after all (`facteur_unheard`).
 */
import type { EventType } from '../../contract/events.ts'
import { sqlState } from '../../db/connection/connect.ts'
import type { Connection, Database } from '../../db/connection/connect.ts'
import type { Context } from '../context.ts'
import { eventsHeard, publishEvents } from './publish-events.ts'
import type { NewEvent } from './publish-events.ts'

export interface ChangeAndPublish<Result> {
  /** `unheard`: types that nobody may be listening to; to be handed to the statement. */
  change(db: Database, unheard: readonly EventType[]): Promise<Result>
  /** What there is to tell of it; asked for only where somebody listens. */
  events(tx: Database, result: Result, heard: ReadonlySet<EventType>): Promise<NewEvent[]>
}

/** What each database's workspaces were last known to listen to; nothing is kept of those that listen to nothing. */
const known = new WeakMap<Connection, Map<number, ReadonlySet<EventType>>>()

export async function changeAndPublish<Result>(
  ctx: Pick<Context, 'db' | 'wake'>,
  workspaceId: number,
  types: readonly EventType[],
  { change, events }: ChangeAndPublish<Result>,
): Promise<Result> {
  const listeners = known.get(ctx.db) ?? new Map<number, ReadonlySet<EventType>>()
  known.set(ctx.db, listeners)
  const before = listeners.get(workspaceId)
  if (!types.some((type) => before?.has(type))) {
    try {
      return await change(ctx.db, types)
    } catch (error) {
      if (sqlState(error) !== 'FA002') throw error
    }
  }
  const { result, heard, owed } = await ctx.db.transaction(async (tx) => {
    const changed = await change(tx, [])
    const hearing = await eventsHeard(tx, workspaceId)
    const told = types.some((type) => hearing.has(type)) ? await events(tx, changed, hearing) : []
    return { result: changed, heard: hearing, owed: await publishEvents(tx, workspaceId, told) }
  })
  if (heard.size > 0) listeners.set(workspaceId, heard)
  else listeners.delete(workspaceId)
  if (owed > 0) ctx.wake('webhook')
  return result
}
