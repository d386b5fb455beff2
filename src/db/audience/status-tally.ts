/**
 * How many contacts have each status, and had on the last days: triggers of the table note each
 * change as a row (migration 0133), and a worker folds the rows.
 */
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface StatusChange {
  /** `YYYY-MM-DD` of the workspace's time zone. */
  today: string
  status: SubscriberStatus | null
  /** Null: before the days asked for. */
  day: string | null
  change: number
}

/** Today in the time zone of the workspace, and that zone. */
const momentOfWorkspace = (workspaceId: number): Fragment => part`
        select z.zone, (facteur_now() at time zone z.zone)::date as today
        from (select coalesce(time_zone, 'UTC') as zone from workspace where id = ${workspaceId}) z`

/**
 * The day of a row `c` in the zone of `moment`. A folded row has the day that it was folded by, also
 * where a process of the version before folded it and wrote no moment.
 */
const dayOfC = fragment`case when c.day = (c.at at time zone 'UTC')::date
          then (c.at at time zone moment.zone)::date else c.day end`

/**
 * Today, and the changes by status and day: of `days` days back from it, and of all before. One
 * without a status says that there are none.
 */
export function statusChanges(
  db: Database,
  workspaceId: number,
  days: number,
): Promise<StatusChange[]> {
  return db.rows<StatusChange>(sql`
    select to_char(t.today, 'YYYY-MM-DD') as today, t.status, to_char(t.day, 'YYYY-MM-DD') as day,
      coalesce(sum(t.change), 0)::int8 as change
    from (
      select moment.today, c.status, c.change,
        case when ${dayOfC} > moment.today - ${days}::int then ${dayOfC} end as day
      from (${momentOfWorkspace(workspaceId)}) moment
      left join subscriber_status_tally c on c.workspace_id = ${workspaceId}
    ) t
    group by t.today, t.status, t.day`)
}

/**
 * Folds at most `max` changes of each status and day into one row, unless there are few; answers how
 * many it took.
 */
export async function foldStatusTally(
  db: Database,
  workspaceId: number,
  { rowsMin, days, max }: { rowsMin: number; days: number; max: number },
): Promise<number> {
  return db.onlyValue<number>(sql`
    with many as materialized (
      select id from subscriber_status_tally where workspace_id = ${workspaceId} limit ${rowsMin}
    ), taken as materialized (
      select id from subscriber_status_tally
      where workspace_id = ${workspaceId} and (select count(*) from many) = ${rowsMin}
      limit ${max}
    ), gone as (
      delete from subscriber_status_tally t using taken
      where t.workspace_id = ${workspaceId} and t.id = taken.id
      returning t.status, t.day, t.at, t.change
    ), dated as (
      select c.status, c.change,
        case when ${dayOfC} > moment.today - ${days}::int then ${dayOfC} end as day
      from gone c
      cross join (${momentOfWorkspace(workspaceId)}) moment
    ), folded as (
      insert into subscriber_status_tally (workspace_id, status, day, at, change)
      select ${workspaceId}::bigint, status, day, null::timestamptz, sum(change) from dated
      group by status, day having sum(change) <> 0
    )
    select count(*)::int as taken from gone`)
}
