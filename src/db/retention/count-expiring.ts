/** Counts what a shorter limit would delete, up to a number above which nobody counts on. */
import type { RetentionClassName } from '../../contract/retention.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface Expiring {
  /** Null means in every workspace. */
  workspaceId: number | null
  name: RetentionClassName
  days: number
  /** Data from before this moment has expired already. */
  expiredBefore: Date | null
  max: number
}

/** Rows of the class that are older than `days` and have not expired yet, `max` at most. */
export function countExpiring(db: Database, expiring: Expiring): Promise<number> {
  return db.onlyValue<number>(
    sql`select count(*)::int from (${rows[expiring.name](expiring)}) found`,
  )
}

/**
 * One row stands for what users count: a message's texts and files, a mail, a recipient, an open, a
 * call.
 */
const rows: Record<RetentionClassName, (expiring: Expiring) => Fragment> = {
  bodies: (expiring) =>
    rowsOf(fragment`message_body`, finishedWithin(fragment`message_id`, expiring), expiring),
  captured: (expiring) =>
    rowsOf(fragment`captured_mail`, timesWithin(fragment`captured_at`, expiring), expiring),
  delivery_details: (expiring) => part`
    (${rowsOf(fragment`engagement`, idsWithin(fragment`id`, expiring), expiring)})
    union all
    (select
      from campaign c
      join campaign_recipient r on r.workspace_id = c.workspace_id and r.campaign_id = c.id
     where ${isOf(fragment`c.workspace_id`, expiring)} and ${isOf(fragment`r.workspace_id`, expiring)}
       and ${timesWithin(fragment`c.completed_at`, expiring)} limit ${expiring.max})
    limit ${expiring.max}`,
  raw_notices: (expiring) =>
    rowsOf(fragment`raw_notice`, timesWithin(fragment`received_at`, expiring), expiring),
  events: (expiring) => rowsOf(fragment`event`, idsWithin(fragment`id`, expiring), expiring),
  requests: (expiring) =>
    rowsOf(fragment`request_log`, idsWithin(fragment`id`, expiring), expiring),
  audit_log: (expiring) => rowsOf(fragment`audit_log`, idsWithin(fragment`id`, expiring), expiring),
  messages: (expiring) =>
    rowsOf(
      fragment`message`,
      part`not notice and ${finishedWithin(fragment`id`, expiring)}`,
      expiring,
    ),
}

const rowsOf = (table: Fragment, condition: Fragment, expiring: Expiring): Fragment =>
  part`
    select
    from ${table} t
    where ${isOf(fragment`workspace_id`, expiring)} and ${condition}
    limit ${expiring.max}`

const isOf = (column: Fragment, { workspaceId }: Expiring): Fragment =>
  part`(${workspaceId}::bigint is null or ${column} = ${workspaceId})`

const timesWithin = (column: Fragment, { expiredBefore, days }: Expiring): Fragment =>
  part`
    ${column} >= coalesce(${expiredBefore}, '-infinity'::timestamptz)
      and ${column} < (select facteur_now() - make_interval(days => ${days}))`

const noId = '00000000-0000-0000-0000-000000000000'

const idsWithin = (column: Fragment, { expiredBefore, days }: Expiring): Fragment =>
  part`${column} >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
    and ${column} < (select facteur_events_from(facteur_now() - make_interval(days => ${days})))`

/**
 * Of a message: older than `days`, counted from when it was finished. One that was finished since
 * stays.
 */
const finishedWithin = (column: Fragment, expiring: Expiring): Fragment => {
  const recipient = part`
    select from recipient r where r.workspace_id = t.workspace_id and r.message_id = t.${column}`
  const { expiredBefore, days } = expiring
  return part`${column} < (select facteur_events_from(facteur_now() - make_interval(days => ${days})))
    and not exists (${recipient}
    and (r.state <> 'settled'
    or coalesce(r.settled_at, r.sent_at) >= (select facteur_now() - make_interval(days => ${days}))))
    and (${column} >= coalesce((select facteur_events_from(${expiredBefore})), ${noId}::uuid)
      or exists (${recipient} and coalesce(r.settled_at, r.sent_at) >= ${expiredBefore} offset 0))`
}
