/**
 * The suppression list: addresses that receive nothing further from a workspace, or from the whole
 * platform.
 */
import type { FailedRow } from '../sending/claims.ts'
import { fragment, rowShape } from '../../database/client/fragment.ts'
import { strengthOf, strongerOfSAndExcluded } from './reason-strength.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { suppressedText } from '../sending/failure-causes.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'

export interface SuppressionRow {
  id: string
  email: string
  reason: SuppressionReason
  scope: 'organization' | 'platform'
  sourceId: string | null
  createdAt: Date
}

export interface NewEntry {
  email: string
  reason: SuppressionReason
  sourceId: string | null
  /** For an erasure, of an address that was not suppressed before. */
  erasing?: boolean
}

/**
 * Adds an entry, or keeps an existing one with the stronger reason of the two. `email` is the
 * lower-cased address.
 */
export function upsertSuppression(
  db: Database,
  workspaceId: number,
  entry: NewEntry & { id: string },
): Promise<SuppressionRow> {
  return db.onlyRow<SuppressionRow>(sql`
    insert into suppression as s (workspace_id, email, id, reason, source_id, created_at, erasing)
    values (${workspaceId}, ${entry.email}, ${entry.id}, ${entry.reason}, ${entry.sourceId},
      date_trunc('milliseconds', facteur_now()), ${entry.erasing ?? false})
    on conflict (workspace_id, email) do update set
      reason = ${strongerOfSAndExcluded}, erasing = s.erasing and excluded.erasing
    returning id, email, reason, 'organization' as scope, source_id, created_at`)
}

interface FeedbackEntry {
  email: string
  reason: 'bounce' | 'complaint'
  sourceId: string
}

const entryList = rowShape<FeedbackEntry>('e', { text: ['email', 'reason', 'sourceId'] })

/** Suppresses addresses by feedback, each named once; a stronger existing reason stays. */
export async function insertSuppressions(
  tx: Database,
  workspaceId: number,
  entries: FeedbackEntry[],
): Promise<void> {
  await tx.count(sql`
    insert into suppression (workspace_id, email, id, reason, source_id, created_at)
    select ${workspaceId}, e.email, gen_random_uuid(), e.reason, e.source_id,
      date_trunc('milliseconds', facteur_now())
    from ${entryList(entries)}
    order by e.email
    on conflict (workspace_id, email) do update set reason = excluded.reason, source_id = excluded.source_id,
      erasing = false
      where ${strengthOf(fragment`suppression.reason`)} < ${strengthOf(fragment`excluded.reason`)}`)
}

/**
 * Finalizes the unclaimed rows of single messages for an address that was just suppressed, after
 * statements that hold one of them. Mail that an unsubscribed contact asks for goes on. Answers the
 * rows, and which of them failed by it.
 */
export function stopPendingInMessages(
  db: Database,
  workspaceId: number,
  email: string,
  reason: SuppressionReason,
): Promise<(FailedRow & { isFailed: boolean })[]> {
  return db.rows<FailedRow & { isFailed: boolean }>(sql`
    with addressed as materialized (
      -- By the address alone: the workspace's pending mail may be more than all mail to the address.
      select message_id, position, status as was
      from recipient
      where workspace_id = ${workspaceId} and address_key = ${email}
    )
    update recipient r
    set state = 'settled', status = case when r.status = 'queued' then 'failed' else r.status end,
      error = case when r.status = 'queued' then '${suppressedText}' || ${reason}::text else r.error end,
      cause = case when r.status = 'queued' then 'suppressed' else r.cause end, fence = r.fence + 1
    from addressed
    where r.workspace_id = ${workspaceId} and r.message_id = addressed.message_id
      and r.position = addressed.position and r.state = 'pending'
      and not (r.passes_unsubscribe and ${reason} = 'unsubscribe')
    returning r.message_id, r.position, r.status = 'failed' and addressed.was = 'queued' as is_failed`)
}

/** Locks the workspace's entry of an address, if there is one, to the end of the transaction. */
export async function lockSuppression(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(
    sql`select 1 from suppression where workspace_id = ${workspaceId} and email = ${email} for update`,
  )
}

/**
 * Lifts an `unsubscribe` entry because the contact subscribes again; entries with any other reason
 * stay. The reason is no condition of an index, which would read all entries that have it.
 */
export async function liftUnsubscribe(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(sql`
    with erased as (
      delete from erased_suppression e using workspace w
      where e.workspace_id = ${workspaceId} and w.id = ${workspaceId}
        and e.digest = facteur_erasure_digest(w.erasure_salt, ${email}) and (e.reason = 'unsubscribe') is true
    )
    delete from suppression
    where workspace_id = ${workspaceId} and email = ${email} and (reason = 'unsubscribe') is true`)
}

/** Behind all entries: a page from there on is the first. */
export const endOfSuppression = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** An entry as the list has it. Null if there is none. */
export function suppressionById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<SuppressionRow | null> {
  return db.row<SuppressionRow>(sql`
    select id, email, reason, 'organization' as scope, source_id, created_at from suppression
    where workspace_id = ${workspaceId} and id = ${id}
    union all
    select id, 'erased@invalid', reason, 'organization', null, created_at from erased_suppression
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/**
 * Every entry of these addresses, with the platform's and those of erased contacts: the caller has
 * the address.
 */
export function suppressionsOf(
  db: Database,
  workspaceId: number,
  emails: string[],
): Promise<SuppressionRow[]> {
  return db.rows<SuppressionRow>(sql`
    select id, email, reason, 'organization' as scope, source_id, created_at from suppression
    where workspace_id = ${workspaceId} and email = any (${emails}::text[])
    union all
    select e.id, a.email, e.reason, 'organization', null, e.created_at
    from (select erasure_salt from workspace where id = ${workspaceId} and erasure_salt is not null) w
    cross join unnest(${emails}::text[]) as a (email)
    cross join lateral (
      select * from erased_suppression
      where workspace_id = ${workspaceId} and digest = facteur_erasure_digest(w.erasure_salt, a.email)) e
    union all
    select id, email, reason, 'platform', null, created_at
    from platform_suppression
    where email = any (${emails}::text[])`)
}

/** Whether an address is suppressed only by its erasure, which has not ended. */
export function isBeingErased(db: Database, workspaceId: number, email: string): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select count(*) > 0 as erasing from suppression
    where workspace_id = ${workspaceId} and email = ${email} and erasing`)
}

/** Deletes an entry, also of an erased contact; answers how many there were. */
export function deleteSuppression(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<number> {
  return db.count(sql`
    with erased as (
      delete from erased_suppression e using workspace w
      where e.workspace_id = ${workspaceId} and w.id = ${workspaceId}
        and e.digest = facteur_erasure_digest(w.erasure_salt, ${email})
      returning 1
    ), listed as (
      delete from suppression where workspace_id = ${workspaceId} and email = ${email} returning 1
    )
    select 1 from listed union all select 1 from erased`)
}

/** Suppresses an address for the whole platform, by the operator. */
export function upsertPlatformSuppression(
  db: Database,
  entry: { id: string; email: string },
): Promise<SuppressionRow> {
  return db.onlyRow<SuppressionRow>(sql`
    insert into ${home}platform_suppression as s (email, id, reason, created_at)
    values (${entry.email}, ${entry.id}, 'manual', date_trunc('milliseconds', facteur_now()))
    on conflict (email) do update set reason = s.reason
    returning id, email, reason, 'platform' as scope, null as source_id, created_at`)
}

export function deletePlatformSuppression(db: Database, email: string): Promise<number> {
  return db.count(sql`delete from ${home}platform_suppression where email = ${email}`)
}

/** The platform's entries, newest first, from before a place on. */
export function platformSuppressionPage(
  db: Database,
  page: { max: number; before: { at: string; id: string } | null },
): Promise<SuppressionRow[]> {
  const before = page.before ?? endOfSuppression
  return db.rows<SuppressionRow>(sql`
    select id, email, reason, 'platform' as scope, null as source_id, created_at from platform_suppression
    where (created_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)
    order by created_at desc, id desc limit ${page.max}`)
}
