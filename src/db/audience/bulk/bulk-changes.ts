/**
 * Changes of contacts: their progress, and the worker that has one. A change of one contact has no
 * slot, and waits for no other.
 */
import type {
  bulkActions,
  bulkStates,
  leftOutReasons,
} from '../../../contract/workspace/bulk-changes.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { sql } from '../../../database/client/sql.ts'
import type { Connection } from '../../../database/client/connect.ts'
import type { Database } from '../../../database/client/database.ts'

export type BulkAction = (typeof bulkActions)[number]
export type BulkState = (typeof bulkStates)[number]
export type LeftOutReason = (typeof leftOutReasons)[number]

/** What a change writes; an export and an erasure write nothing. */
export interface BulkParameters {
  tag?: string
  field?: string
  value?: string
  /** Why contacts are unsubscribed; deleted at the end, as the value and the address are. */
  reason?: string
  /** The one contact that the change is for; of one who is no subscriber, the change's own identifier. */
  contact?: string
  /** Of one who is no subscriber, from the beginning to the end of the change. */
  address?: string
}

export interface BulkChangeRow {
  id: string
  action: BulkAction
  parameters: BulkParameters
  state: BulkState
  contacts: number
  done: number
  changed: number
  leftOut: Partial<Record<LeftOutReason, number>>
  stopping: boolean
  userEmail: string
  /** Of the subscriber who is its one contact. */
  email: string | null
  /** Until it begins. */
  waitsSeconds: number
  createdAt: Date
  endedAt: Date | null
}

const columnsOf = (
  workspaceId: number,
): Fragment => part`id, action, parameters, state, contacts, done, changed, left_out, stopping,
  user_email, created_at, ended_at,
  (select s.email from subscriber s
    where s.workspace_id = ${workspaceId} and s.id = (parameters ->> 'contact')::uuid) as email,
  case when state = 'waiting'
    then greatest(0, ceil(extract(epoch from next_at - facteur_now())))::int else 0 end as waits_seconds`

/**
 * Stores a change in the transaction that froze its contacts: an export as completed, and another as
 * stopped until it begins, which is where it stays when its process is killed in between. It names
 * no address before it begins: nothing would remove that from one that never does.
 */
export async function insertBulkChange(
  tx: Database,
  workspaceId: number,
  change: Pick<BulkChangeRow, 'id' | 'action' | 'parameters' | 'contacts' | 'userEmail'>,
): Promise<void> {
  const { id, action, contacts, userEmail } = change
  const { address: _, ...parameters } = change.parameters
  const isDone = action === 'export'
  await tx.count(sql`
    with moment as materialized (select date_trunc('milliseconds', facteur_now()) as at)
    insert into bulk_change (workspace_id, id, action, parameters, state, contacts, done, user_email,
      created_at, ended_at)
    select ${workspaceId}::bigint, ${id}::uuid, ${action}::text, ${JSON.stringify(parameters)}::jsonb,
      ${isDone ? 'completed' : 'stopped'}::text, ${contacts}::bigint, ${isDone ? contacts : 0}::bigint,
      ${userEmail}::text, at, at
    from moment`)
}

/** How many changes have not ended, and how many files were made within the last `minutes`. */
export function countBulkChanges(
  db: Database,
  workspaceId: number,
  minutes: number,
): Promise<{ unfinished: number; exports: number }> {
  return db.onlyRow<{ unfinished: number; exports: number }>(sql`
    select count(*) filter (where slot is not null) as unfinished,
      count(*) filter (where action = 'export'
        and created_at > (select facteur_now() - make_interval(mins => ${minutes}))) as exports
    from bulk_change
    where workspace_id = ${workspaceId}`)
}

/**
 * Begins a stored change, which is due after `waitSeconds`; deletes it and answers false where as
 * many go on as a workspace may have. The due row is written first: others that begin wait for it.
 */
export async function startBulkChange(
  tx: Database,
  workspaceId: number,
  {
    id,
    waitSeconds,
    unfinishedMax,
    parameters: { contact, address },
  }: Pick<BulkChangeRow, 'id' | 'parameters'> & { waitSeconds: number; unfinishedMax: number },
): Promise<boolean> {
  const room =
    contact !== undefined
      ? part`select null::smallint as slot
      where (
        select count(*) from bulk_change b
        where b.workspace_id = ${workspaceId} and b.next_at is not null and b.slot is null
      ) < ${unfinishedMax}::int`
      : part`select n as slot
      from generate_series(1, ${unfinishedMax}::int) n
      where not exists (select from bulk_change b where b.workspace_id = ${workspaceId} and b.slot = n)
      order by n
      limit 1`
  await tx.count(sql`
    insert into due (workspace_id, lane, next_at)
    select ${workspaceId}::bigint, 'bulk', facteur_now() + make_interval(secs => ${waitSeconds})
    on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)`)
  const isBegun = await tx.changes(sql`
    with room as materialized (
      ${room}
    )
    update bulk_change
    set state = ${waitSeconds > 0 ? 'waiting' : 'running'}, slot = room.slot, ended_at = null,
      parameters = parameters || ${JSON.stringify({ address })}::jsonb,
      next_at = date_trunc('milliseconds', facteur_now()) + make_interval(secs => ${waitSeconds})
    from room
    where workspace_id = ${workspaceId} and id = ${id}`)
  if (isBegun) return true
  await tx.count(sql`delete from bulk_change where workspace_id = ${workspaceId} and id = ${id}`)
  return false
}

export function bulkChangeById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<BulkChangeRow | null> {
  return db.row<BulkChangeRow>(sql`
    select ${columnsOf(workspaceId)} from bulk_change where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Those that have not ended, and then the newest: `max` of many contacts, and `max` of one each. */
export function bulkChangesOf(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<BulkChangeRow[]> {
  return db.rows<BulkChangeRow>(sql`
    select ${columnsOf(workspaceId)}
    from (
      select b.*, row_number() over (
          partition by b.parameters -> 'contact' is null
          order by b.next_at is null, b.id desc) as place
      from bulk_change b
      where b.workspace_id = ${workspaceId}
    ) c
    where place <= ${max}::int
    order by next_at is null, id desc`)
}

/** Whether this member may download an export now. */
export function mayDownload(
  db: Database,
  workspaceId: number,
  { id, userEmail, minutes }: { id: string; userEmail: string; minutes: number },
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select count(*) > 0 as may from bulk_change
    where workspace_id = ${workspaceId} and id = ${id} and action = 'export' and user_email = ${userEmail}
      and created_at > (select facteur_now() - make_interval(mins => ${minutes}))`)
}

/** Ends one that waits, and asks one that runs to end; false where neither is the case. */
export async function stopStoredBulkChange(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<boolean> {
  const ended = await tx.changes(sql`
    update bulk_change
    set state = 'stopped', next_at = null, slot = null, fence = fence + 1,
      parameters = parameters - array['reason', 'value', 'address'],
      ended_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and state = 'waiting'`)
  if (ended) return true
  return tx.changes(sql`
    update bulk_change set stopping = true
    where workspace_id = ${workspaceId} and id = ${id} and state = 'running'`)
}

/** A change that this process works on until its lease ends. */
export interface ClaimedBulkChange extends Pick<
  BulkChangeRow,
  'id' | 'action' | 'parameters' | 'leftOut' | 'userEmail' | 'changed'
> {
  /** The contact up to which all are worked off. */
  position: string
  fence: number
  /** With this claim: so many in a row, of which none before worked off a contact. */
  attempts: number
}

/** Whether a change is of one contact, or of many. */
export type BulkReach = 'one' | 'many'

/**
 * Claims the oldest due change of this reach for `leaseSeconds`; null when none is due, or another
 * process works on one of many: these happen one after the other. Claims wait for each other at the
 * workspace's due row, so that each sees what the one before it claimed.
 */
export function claimBulkChange(
  db: Connection,
  workspaceId: number,
  { leaseSeconds, reach }: { leaseSeconds: number; reach: BulkReach },
): Promise<ClaimedBulkChange | null> {
  const isFree =
    reach === 'one'
      ? fragment`slot is null`
      : part`slot is not null and not exists (
            select from bulk_change o
            where o.workspace_id = ${workspaceId} and o.state = 'running' and o.slot is not null
              and o.next_at > (select facteur_now()))`
  return db.transaction(async (tx) => {
    await tx.rows(
      sql`select 1 from due where workspace_id = ${workspaceId} and lane = 'bulk' for update`,
    )
    return tx.row<ClaimedBulkChange>(sql`
      update bulk_change
      set fence = fence + 1, attempts = attempts + 1, state = 'running',
        next_at = facteur_now() + make_interval(secs => ${leaseSeconds})
      where workspace_id = ${workspaceId} and id = (
        select id from bulk_change
        where workspace_id = ${workspaceId} and next_at <= (select facteur_now()) and ${isFree}
        order by id limit 1 for update skip locked)
      returning id, action, parameters, left_out, user_email, changed, position, fence,
        attempts`)
  })
}

/**
 * Holds a claimed change until the transaction ends, and answers whether it goes on or somebody
 * stopped it; null when another process has it.
 */
export async function holdBulkChange(
  tx: Database,
  workspaceId: number,
  { id, fence }: Pick<ClaimedBulkChange, 'id' | 'fence'>,
): Promise<'goes_on' | 'stopping' | null> {
  return tx.value<'goes_on' | 'stopping'>(sql`
    select case when stopping then 'stopping' else 'goes_on' end as held from bulk_change
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence}
    for no key update`)
}

/** Whether it goes on: another process has not taken it, and nobody stopped it. */
export function goesOn(
  db: Database,
  workspaceId: number,
  { id, fence }: Pick<ClaimedBulkChange, 'id' | 'fence'>,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select count(*) > 0 as goes from bulk_change
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence} and not stopping`)
}

interface WorkedOff {
  id: string
  fence: number
  /** The last contact of the batch; null: there was none. */
  position: string | null
  done: number
  changed: number
  /** Of all batches. */
  leftOut: BulkChangeRow['leftOut']
  /** No contact is left. */
  isLast: boolean
}

/**
 * Stores the result of a batch. The change is due again at once, or ends: also where it is stopped.
 * The workspace is due at once, behind the others: another process may have looked while the change
 * was leased.
 */
export async function advanceBulkChange(
  tx: Database,
  workspaceId: number,
  { id, fence, position, done, changed, leftOut, isLast }: WorkedOff,
): Promise<void> {
  await tx.count(sql`
    update bulk_change
    set position = coalesce(${position}::uuid, position), attempts = 0, done = done + ${done},
      changed = changed + ${changed},
      left_out = ${JSON.stringify(leftOut)}::jsonb,
      state = case when ${isLast}::boolean then 'completed' when stopping then 'stopped' else state end,
      next_at = case when not (${isLast}::boolean or stopping) then (select facteur_now()) end,
      slot = case when not (${isLast}::boolean or stopping) then slot end,
      parameters = case
        when ${isLast}::boolean or stopping then parameters - array['reason', 'value', 'address']
        else parameters end,
      ended_at = case when ${isLast}::boolean or stopping
        then (select date_trunc('milliseconds', facteur_now())) end
    where workspace_id = ${workspaceId} and id = ${id} and fence = ${fence}`)
  await tx.count(sql`
    update due set next_at = facteur_now() where workspace_id = ${workspaceId} and lane = 'bulk'`)
}
