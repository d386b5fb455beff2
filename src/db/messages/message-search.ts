/**
 * The search index of single messages, which a worker fills, and how far it is filled (migration
 * 0018).
 */
import { limits } from '../../contract/limits.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { byNewestIndex, fromNewestEnd } from '../../database/planner/moved-rows.ts'

/** From this moment on, the index may lack messages. */
export const indexedTo = (workspaceId: number | Fragment): Fragment => part`coalesce(
          (select sure_to from message_search_mark where workspace_id = ${workspaceId}), '-infinity')`

/**
 * For a statement that finds rows by the index over texts. As a plain comparison, this would let the
 * planner take the primary key, and read all rows of the workspace, which may be a million.
 */
export const isOfWorkspaceByText = (workspaceId: number): Fragment =>
  part`(workspace_id = ${workspaceId}) is true`

/** Of a message `m`: one look-up by key for each. */
const indexLacksM = (workspaceId: number | Fragment): Fragment => part`not exists (
          select from message_search s
          where s.workspace_id = ${workspaceId} and s.at = m.created_at and s.message_id = m.id
          offset 0)`

const payer = byNewestIndex(fragment`workspace_id`)

/**
 * Workspaces whose month was debited lately, with a version that differs after each debit; of those
 * that share it, all. It goes from the newest version of one row to that of the next, so that it
 * passes no older versions (docs/decisions/0052-a-held-horizon.md).
 */
export function debitedWorkspaces(
  db: Database,
): Promise<{ workspaceId: number; version: string }[]> {
  return db.rows(sql`
    with recursive since as materialized (
      select date_trunc('month', (facteur_now() - interval '1 day') at time zone 'utc')::date as month
    ), rows_of_month as (
      (select q.workspace_id, q.month, q.xmin::text as version from quota_usage q ${fromNewestEnd}
        where month >= (select month from since)
        order by month desc, ${payer} desc, moved_at desc
        limit 1)
      union all
      select n.* from rows_of_month r cross join lateral (
        select q.workspace_id, q.month, q.xmin::text as version from quota_usage q ${fromNewestEnd}
        where (month, ${payer}) < (r.month, r.workspace_id) and month >= (select month from since)
        order by month desc, ${payer} desc, moved_at desc
        limit 1) n
    ), debited as materialized (
      select workspace_id, string_agg(version, ' ' order by month) as version
      from rows_of_month
      group by workspace_id
    )
    select id as workspace_id, string_agg(version, ' ' order by payer) as version from (
      select workspace_id as id, workspace_id as payer, version from debited
      union all
      select w.id, workspace_id, version from debited join workspace w on w.quota_of = debited.workspace_id
    ) d
    group by id`)
}

/**
 * Workspaces with messages that the index lacks, however old: workers were down over the end of a
 * month, or the index is new. It reads all workspaces, and runs when workers start.
 */
export function workspacesBehind(db: Database): Promise<number[]> {
  return db.column<number>(sql`
    select w.id from workspace w
    where exists (
      select from message m
      where m.workspace_id = w.id and not m.notice
        and m.created_at >= ${indexedTo(fragment`w.id`)}
        and ${indexLacksM(fragment`w.id`)})
    order by w.id`)
}

/**
 * Since when the oldest message waits that the index lacks. Null if none has waited for so long.
 */
export function unindexedSince(db: Database, lateSeconds: number): Promise<Date | null> {
  return db.value<Date>(sql`
    select min(late.created_at) from workspace w cross join lateral (
      select m.created_at from message m
      where m.workspace_id = w.id and not m.notice
        and m.created_at >= ${indexedTo(fragment`w.id`)}
        and m.created_at < (select facteur_now() - make_interval(secs => ${lateSeconds}))
        and ${indexLacksM(fragment`w.id`)}
      order by m.created_at limit 1) late`)
}

/** How far a workspace is indexed. */
export interface IndexMark {
  sureTo: string
  /**
   * Whether nobody has asked which writes are running, or only on another server, whose
   * transactions have other numbers.
   */
  mustAsk: boolean
  /** Whether all writes that were running when it was asked have ended. */
  isSettled: boolean
  now: string
  /**
   * A statement that read the clock before this moment has written by now, but for those of a
   * transaction that stays open.
   */
  passedTo: Date
  /** Every transaction that begins to write from now on has this number or a later one. */
  nextXid: string
}

/** Locks the mark to the end of the transaction. Null if another worker has it. */
export async function takeIndexMark(tx: Database, workspaceId: number): Promise<IndexMark | null> {
  await tx.count(
    sql`insert into message_search_mark (workspace_id) values (${workspaceId}) on conflict do nothing`,
  )
  return tx.row<IndexMark>(sql`
    select sure_to::text, coalesce(asked_xid > pg_snapshot_xmax(pg_current_snapshot()), true) as must_ask,
      coalesce(asked_xid <= pg_snapshot_xmin(pg_current_snapshot()), false) as is_settled,
      facteur_now()::text as now, facteur_now() - interval '5 seconds' as passed_to,
      pg_snapshot_xmax(pg_current_snapshot())::text as next_xid
    from message_search_mark where workspace_id = ${workspaceId} for update skip locked`)
}

/**
 * Locks the index of a workspace to the end of the transaction, so that no worker writes it
 * meanwhile.
 */
export async function lockMessageIndex(tx: Database, workspaceId: number): Promise<void> {
  // Without a mark there would be nothing to lock, and a worker could store what it read before.
  await tx.count(
    sql`insert into message_search_mark (workspace_id) values (${workspaceId}) on conflict do nothing`,
  )
  await tx.count(
    sql`select 1 from message_search_mark where workspace_id = ${workspaceId} for update`,
  )
}

/**
 * Everything that was read up to `to` is indexed (null: to the end). It leaves a margin for
 * statements that had read the clock and not yet written.
 */
export async function advanceIndexMark(
  tx: Database,
  workspaceId: number,
  mark: IndexMark,
  to: string | null,
): Promise<void> {
  await tx.count(sql`
    update message_search_mark set
      sure_to = case
        when ${mark.isSettled}
        then greatest(sure_to, (select least(asked_at - interval '5 seconds', ${to}::timestamptz)))
        else sure_to end,
      asked_at = case
        when ${mark.mustAsk} or ${mark.isSettled} and ${to}::text is null then ${mark.now}::timestamptz
        else asked_at end,
      asked_xid = case
        when ${mark.mustAsk} or ${mark.isSettled} and ${to}::text is null then ${mark.nextXid}::xid8
        else asked_xid end
    where workspace_id = ${workspaceId}`)
}

export interface UnindexedMessage {
  id: string
  /** As the database writes it. */
  at: string
  subject: string
  tags: Record<string, string> | null
  addresses: string[]
}

/** Older versions allowed thousands: a message is found by as many as are allowed today. */
const textsToFindMBy = fragment`
      case when pg_column_size(m.tags) <= 32768 then m.tags
        else (
          select jsonb_object_agg(t.key, t.value)
          from (select key, value from jsonb_each(m.tags) limit ${limits.tagsObjectMax}) t) end as tags,
      array(
        select r.email from recipient r
        where r.workspace_id = m.workspace_id and r.message_id = m.id
        order by r.position) as addresses`

/**
 * Messages that the index lacks, oldest first from the mark on, or from a later moment (`from`).
 */
export function unindexedMessages(
  tx: Database,
  workspaceId: number,
  { sureTo, from, max }: { sureTo: string; from: Date | null; max: number },
): Promise<(UnindexedMessage & { createdAt: Date })[]> {
  return tx.rows<UnindexedMessage & { createdAt: Date }>(sql`
    select m.id, m.created_at::text as at, m.created_at, m.subject,
      ${textsToFindMBy}
    from message m
    where m.workspace_id = ${workspaceId} and not m.notice
      and m.created_at >= greatest(${sureTo}::timestamptz, ${from}::timestamptz)
      and ${indexLacksM(workspaceId)}
    order by m.created_at, m.id limit ${max}`)
}

/** The newest that the index may lack: a search reads them itself. */
export function newestUnindexed(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<UnindexedMessage[]> {
  return db.rows<UnindexedMessage>(sql`
    select m.id, to_char(m.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, m.subject,
      ${textsToFindMBy}
    from (
      select * from message where workspace_id = ${workspaceId} and not notice
        and created_at >= ${indexedTo(workspaceId)}
      order by created_at desc, id desc limit ${max}
    ) m
    where ${indexLacksM(workspaceId)}
    order by m.created_at desc, m.id desc`)
}

/** The texts of these messages as they are now. */
export function messagesToIndex(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<UnindexedMessage[]> {
  return tx.rows<UnindexedMessage>(sql`
    select m.id, m.created_at::text as at, m.subject,
      ${textsToFindMBy}
    from message m where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[])`)
}

export interface MessageEntry {
  id: string
  at: string
  addresses: string
  subject: string
  tags: string
  grams: number[]
}

/** Inserts or replaces the index entries of messages. */
export async function writeMessageEntries(
  tx: Database,
  workspaceId: number,
  entries: MessageEntry[],
): Promise<void> {
  let taken = 0
  const first = entries.map(({ grams }) => (taken += grams.length) - grams.length + 1)
  await tx.count(sql`
    insert into message_search as s (workspace_id, at, message_id, addresses, subject, tags, grams)
    select ${workspaceId}, t.at, t.id, t.addresses, t.subject, t.tags,
      (${`{${entries.flatMap(({ grams }) => grams).join()}}`}::int[])[t.first : t.first + t.length - 1]
    from unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ at }) => at)}::timestamptz[],
                ${entries.map(({ addresses }) => addresses)}::text[],
                ${entries.map(({ subject }) => subject)}::text[],
                ${entries.map(({ tags }) => tags)}::text[], ${first}::int[],
                ${entries.map(({ grams }) => grams.length)}::int[])
      as t (id, at, addresses, subject, tags, first, length)
    order by t.at, t.id
    on conflict (workspace_id, at, message_id) do update
      set addresses = excluded.addresses, subject = excluded.subject, tags = excluded.tags,
        grams = excluded.grams`)
}

/**
 * Sorts the index's pending entries, which each search reads through (PostgreSQL: GIN fast update).
 */
export async function sortMessageIndex(db: Database): Promise<void> {
  await db.rows(
    sql`select gin_clean_pending_list('message_grams'), gin_clean_pending_list('message_grams_sample')`,
  )
}
