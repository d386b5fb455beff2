/** Counts and lists the subscribers that a definition selects. */
import type { Condition } from '../../../contract/segments.ts'
import { part, type Fragment } from '../../../database/client/fragment.ts'
import { sql, unprepared } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'
import { allowSweeps } from '../../../database/planner/allow-sweeps.ts'
import { subscriberRowColumns, type SubscriberRow } from '../subscribers.ts'
import { compileDefinition } from './compile-definition.ts'
import type { DefinitionContext } from './compiling.ts'

/** `subscriber s …` of those that a definition selects, each once, for a `from`. */
export function selectedBy(context: DefinitionContext, definition: Condition): Fragment {
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

interface Counting {
  context: DefinitionContext
  definition: Condition
  sampleMax: number
  timeoutMs: number
}

/** In a transaction of one snapshot. Rejects with the SQLSTATE 57014 after `timeoutMs`. */
export async function countSelected(
  tx: Database,
  { context, definition, sampleMax, timeoutMs }: Counting,
): Promise<SegmentCount> {
  const long = await allowSweeps(tx, timeoutMs)
  const selected = selectedBy(context, definition)
  const counts = await tx.onlyRow<Omit<SegmentCount, 'sample'>>(
    long(
      unprepared(sql`
        select count(*)::int8 as contacts,
          count(*) filter (where s.status = 'subscribed')::int8 as subscribed
        from ${selected}`),
    ),
  )
  if (counts.contacts === 0) return { ...counts, sample: [] }
  return { ...counts, sample: await pageOf(tx, selected, { max: sampleMax, long }) }
}

const pageOf = (
  tx: Database,
  selected: Fragment,
  { max, long }: { max: number; long: Awaited<ReturnType<typeof allowSweeps>> },
): Promise<SubscriberRow[]> =>
  tx.rows<SubscriberRow>(
    long(
      unprepared(sql`
        select ${subscriberRowColumns}
        from subscriber
        where (workspace_id, id) in (
          select s.workspace_id, s.id
          from ${selected}
          order by s.id desc
          limit ${max})
        order by id desc`),
    ),
  )
