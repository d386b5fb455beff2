/** Counts and lists the subscribers that a definition selects. */
import type { Condition } from '../../../contract/segments.ts'
import { part, type Fragment } from '../../../database/client/fragment.ts'
import { sql, unprepared } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'
import { allowSweeps } from '../../../database/planner/allow-sweeps.ts'
import { endOfIds } from '../subscriber-search.ts'
import { subscriberRowColumns, type SubscriberRow } from '../subscribers.ts'
import { compileDefinition } from './compile-definition.ts'
import type { DefinitionContext } from './compiling.ts'
import { unpackIds, type SelectedIds } from './selected-ids.ts'

/** A definition with the facts that it is read by. */
export interface Selection {
  context: DefinitionContext
  definition: Condition
}

/** `subscriber s … where …` of those that a definition selects, each once, for a `from`. */
export function selectedBy({ context, definition }: Selection): Fragment {
  const { joins, condition } = compileDefinition(context, definition)
  return part`subscriber s ${joins} where s.workspace_id = ${context.workspaceId} and ${condition}`
}

export interface SegmentCount {
  contacts: number
  /** Those of them whose status is `subscribed`. */
  subscribed: number
  /** Some of them, the newest first. */
  sample: SubscriberRow[]
}

/** In a transaction of one moment. Rejects with the SQLSTATE 57014 after `timeoutMs`. */
export async function countSelected(
  tx: Database,
  { sampleMax, timeoutMs, ...selection }: Selection & { sampleMax: number; timeoutMs: number },
): Promise<SegmentCount> {
  const long = await allowSweeps(tx, timeoutMs)
  const counts = await tx.onlyRow<Omit<SegmentCount, 'sample'>>(
    long(
      unprepared(sql`
        select count(*)::int8 as contacts,
          count(*) filter (where s.status = 'subscribed')::int8 as subscribed
        from ${selectedBy(selection)}`),
    ),
  )
  if (counts.contacts === 0) return { ...counts, sample: [] }
  const page = { max: sampleMax, before: null, timeoutMs }
  return { ...counts, sample: await selectedPage(tx, selection, page) }
}

/** The newest of them with smaller identifiers than `before`, as `countSelected`. */
export async function selectedPage(
  tx: Database,
  selection: Selection,
  { max, before, timeoutMs }: { max: number; before: string | null; timeoutMs: number },
): Promise<SubscriberRow[]> {
  const long = await allowSweeps(tx, timeoutMs)
  return tx.rows<SubscriberRow>(
    long(
      unprepared(sql`
        select ${subscriberRowColumns}
        from (
          select s.*
          from ${selectedBy(selection)} and s.id < ${before ?? endOfIds}::uuid
          order by s.id desc
          limit ${max}) page
        order by id desc`),
    ),
  )
}

/** All of them at one moment, the newest first, as `countSelected`. */
export async function selectedIds(
  tx: Database,
  selection: Selection,
  timeoutMs: number,
): Promise<SelectedIds> {
  const long = await allowSweeps(tx, timeoutMs)
  const bytes = await tx.value<Buffer | null>(
    long(
      unprepared(sql`
        select string_agg(uuid_send(s.id), ''::bytea order by s.id desc) as ids
        from ${selectedBy(selection)}`),
    ),
  )
  return unpackIds(bytes)
}

/** Those of them that are there, the newest first. */
export function subscribersWithIds(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<SubscriberRow[]> {
  return db.rows<SubscriberRow>(sql`
    select ${subscriberRowColumns}
    from subscriber
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])
    order by id desc`)
}
