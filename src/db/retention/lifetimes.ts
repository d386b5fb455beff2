/**
 * Lists how long rows live that no class of retention stores (partitioned-tables.ts), by table, and
 * deletes the expired ones.
 */
import { bulkLimits } from '../../contract/workspace/bulk-limits.ts'
import type { Database } from '../../database/client/database.ts'
import { Fragment, columnList, fragment, part } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'

/** Causes of refusals are counted for so many days, and asked for no longer. */
export const refusalDays = 30
/** An address whose hard bounce or complaint counted counts again after so many days. */
export const countedOnceDays = 30

/**
 * The whole instant is asked for, its cast and its sum included: Citus evaluates an expression of
 * a query before it sends it to a node, and cannot evaluate the query itself.
 */
const ago = (interval: string): Fragment =>
  new Fragment([`(select facteur_now() - interval '${interval}')`], [])
const daysAgo = (days: number): Fragment =>
  fragment`(select (facteur_now() at time zone 'utc')::date - ${days}::int)`

/**
 * Which rows are expired, of tables that the installation has once. Where an index leads to the
 * oldest ones, the condition ends with its order, so that no other row is read.
 */
const ofInstallation = {
  ses_notice: part`received_at < ${ago('24 hours')} order by received_at`,
  /** They gave no trouble for a week. */
  destination: part`changed_at < ${ago('7 days')} order by changed_at`,
  sts_policy: part`
    changed_at < (select facteur_now()) and expires_at < (select facteur_now()) order by changed_at`,
  tls_session: part`day < ${daysAgo(90)} order by day`,
  /** Organisations that have sent nothing for so long, but for bulk senders. */
  sender_volume: part`day < ${daysAgo(400)} and bulk_since is null`,
  user_session: fragment`expires_at < (select facteur_now())`,
  user_link: fragment`expires_at < (select facteur_now())`,
  user_passkey_challenge: fragment`expires_at < (select facteur_now())`,
  sign_in_rate: fragment`ends_at < (select facteur_now())`,
} satisfies Record<string, Fragment>

/** Which rows of a workspace are expired, of table `t`. */
const ofWorkspace = (workspaceId: number) => ({
  request_rate: part`coalesce(seconds[array_upper(seconds, 1)], 0)
    < (select extract(epoch from facteur_now() - interval '1 hour'))`,
  /** A day is promised. */
  idempotency_key: part`created_at < ${ago('48 hours')} order by created_at`,
  sign_up_rate: part`since <= ${ago('1 hour')}`,
  sign_up: part`created_at <= ${ago('30 days')}`,
  postmaster_day: part`day < ${daysAgo(90)}`,
  refusal_day: part`day < ${daysAgo(refusalDays)} order by day`,
  reputation_address: part`counted_at <= ${ago(`${countedOnceDays} days`)}`,
  /** Of processes that were killed: one that goes on for longer registers another. */
  batch_sender: part`opened_at < ${ago('1 day')}`,
  /** Of a file that nobody downloads any more, or of a change whose process was killed before it began. */
  bulk_change_contact: part`exists (
    select from bulk_change b
    where b.workspace_id = ${workspaceId} and b.id = t.bulk_change_id
      and b.ended_at < ${ago(`${2 * bulkLimits.downloadMinutes} minutes`)})`,
  bulk_change: part`ended_at < ${ago('30 days')}
    and (select 1
      from bulk_change_contact c
      where c.workspace_id = ${workspaceId} and c.bulk_change_id = t.id
      limit 1) is null`,
  /** Their import was deleted. */
  import_file: part`import_id is not null and state not in ('trying', 'importing')
    and (select 1
      from subscriber_import i
      where i.workspace_id = ${workspaceId} and i.id = t.import_id) is null`,
  /**
   * Records of erasures, once no older file is left. They stay a day at least: a file that was
   * arriving at that moment may not be recorded yet.
   */
  erased_contact: part`erased_at < ${ago('1 day')}
    and not exists (
      select from import_file f
      where f.workspace_id = ${workspaceId} and f.created_at <= t.erased_at and not f.discarded
        and f.state <> 'imported')
    and not exists (
      select from subscriber_import i
      where i.workspace_id = ${workspaceId} and i.started_at <= t.erased_at and i.finished_at is null)`,
})

type OfInstallation = keyof typeof ofInstallation
type OfWorkspace = keyof ReturnType<typeof ofWorkspace>

/** In the order in which they are cleaned up. */
export const expiringTables = Object.keys(ofInstallation) as OfInstallation[]
export const expiringTablesOfWorkspaces = Object.keys(ofWorkspace(0)) as OfWorkspace[]

/** Deletes up to `max` expired rows of the installation; answers how many. */
export function deleteExpired(db: Database, table: OfInstallation, max: number): Promise<number> {
  const name = columnList([table])
  return db.count(sql`
    delete from ${name} d using (
      select ctid from ${name} where ${ofInstallation[table]} limit ${max} for update skip locked
    ) old where d.ctid = old.ctid`)
}

/** Deletes up to `max` expired rows of a workspace; answers how many. */
export function deleteExpiredOf(
  db: Database,
  table: OfWorkspace,
  { workspaceId, max }: { workspaceId: number; max: number },
): Promise<number> {
  const name = columnList([table])
  return db.count(sql`
    delete from ${name} d using (
      select t.ctid from ${name} t
      where t.workspace_id = ${workspaceId} and ${ofWorkspace(workspaceId)[table]}
      limit ${max}
      for update skip locked
    ) old where d.workspace_id = ${workspaceId} and d.ctid = old.ctid`)
}
