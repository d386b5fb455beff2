/**
 * Adds many entries to the suppression list at once, and finds which addresses have pending mail or
 * an active subscriber.
 */
import type { SuppressionReason } from '../../contract/suppression.ts'
import { rowList } from '../../database/client/fragment.ts'
import { strongerOfSAndExcluded } from './reason-strength.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface NewSuppression {
  id: string
  /** The lower-cased address; each once. */
  email: string
  reason: SuppressionReason
  /** The message or the campaign that caused it. */
  sourceId: string | null
}

/** As `upsertSuppression`: the stronger reason stays. Answers how many are new. */
export function upsertSuppressions(
  tx: Database,
  workspaceId: number,
  entries: NewSuppression[],
): Promise<number> {
  return tx.onlyValue<number>(sql`
    with kept as (
      insert into suppression as s (workspace_id, email, id, reason, source_id, created_at)
      select ${workspaceId}, n.email, n.id, n.reason, n.source_id, date_trunc('milliseconds', facteur_now())
      from ${rowList(entries, 'n', { text: ['email', 'reason', 'sourceId'], uuid: ['id'] })}
      order by n.email
      on conflict (workspace_id, email) do update set
        reason = ${strongerOfSAndExcluded}, erasing = false
      -- A row that this statement made has no earlier version.
      returning s.xmax = 0 as made
    )
    select count(*) filter (where made)::int as made from kept`)
}

/** The same on the list of the whole platform. */
export function upsertPlatformSuppressions(
  tx: Database,
  entries: Omit<NewSuppression, 'sourceId'>[],
): Promise<number> {
  return tx.onlyValue<number>(sql`
    with kept as (
      insert into ${home}platform_suppression as s (email, id, reason, created_at)
      select n.email, n.id, n.reason, date_trunc('milliseconds', facteur_now())
      from ${rowList(entries, 'n', { text: ['email', 'reason'], uuid: ['id'] })}
      order by n.email
      on conflict (email) do update set
        reason = ${strongerOfSAndExcluded}
      returning s.xmax = 0 as made
    )
    select count(*) filter (where made)::int as made from kept`)
}

/**
 * Those of these addresses that a mail is pending for, or whose subscriber is still in the
 * audience.
 */
export function addressesWithPendingMail(
  db: Database,
  workspaceId: number,
  emails: string[],
): Promise<string[]> {
  return db.column<string>(sql`
    select a.email from unnest(${emails}::text[]) as a (email)
    left join lateral (
      select id, status from subscriber
      where workspace_id = ${workspaceId} and email = a.email
      limit 1) s on true
    where s.status in ('pending', 'subscribed')
      or exists (
        select from recipient
        where workspace_id = ${workspaceId} and address_key = a.email and state = 'pending')
      or s.id is not null and exists (
        select from campaign c
        cross join lateral (
          select 1 from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = c.id and subscriber_id = s.id
            and state = 'pending') r
        where c.workspace_id = ${workspaceId} and c.status = 'sending')`)
}
