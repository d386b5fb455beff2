/**
 * The health of a workspace's webhooks: counts of deliveries up to a limit, and the newest
 * failures.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { WebhookRow } from './webhooks.ts'

export interface WebhookHealthRow extends Omit<WebhookRow, 'secret' | 'previousSecret'> {
  delivered: number
  failed: number
  waiting: number
  lastDeliveredAt: Date | null
  failedAt: Date | null
  error: string | null
  status: number | null
  nextAttemptAt: Date | null
  disabledAt: Date | null
  disabledBecause: 'failing' | null
}

/**
 * Entries whose last attempt is checked for a failure: newer ones may not have been attempted yet.
 */
const scannedMax = 50

/**
 * All of a workspace, newest first. `delivered` and `failed` cover the last days. `delivered` never
 * exceeds `max`, `failed` and `waiting` never `troublesMax`; tests do not count.
 */
export function webhookHealth(
  db: Database,
  workspaceId: number,
  { days, max, troublesMax }: { days: number; max: number; troublesMax: number },
): Promise<WebhookHealthRow[]> {
  return db.rows<WebhookHealthRow>(sql`
    with since as materialized (
      select facteur_events_from(facteur_now() - make_interval(days => ${days})) as id
    )
    select w.id, w.name, w.url, w.events, w.enabled,
      case when w.previous_until > facteur_now() then w.previous_until end as previous_until,
      w.failing_since, w.created_at, w.updated_at,
      w.disabled_at, w.disabled_because,
      new.delivered, new.last as last_delivered_at, gone.failed, due.waiting,
      trouble.at as failed_at, trouble.error, trouble.response_status as status,
        trouble.next_at as next_attempt_at
    from webhook w
    cross join lateral (
      select (count(*) filter (where status = 'delivered'))::int as delivered,
        max(last_attempt_at) filter (where status = 'delivered') as last
      from (select status, last_attempt_at from webhook_delivery
            where workspace_id = ${workspaceId} and webhook_id = w.id and event_id >= (select id from since)
              and not test
            order by event_id desc limit ${max}) d) new
    cross join lateral (
      select count(*)::int as failed
      from (select from webhook_delivery
            where workspace_id = ${workspaceId} and webhook_id = w.id and status <> 'delivered'
              and status = 'failed'
              and event_id >= (select id from since) and not test
            limit ${troublesMax}) d) gone
    cross join lateral (
      select count(*)::int as waiting
      from (select from webhook_delivery
            where workspace_id = ${workspaceId} and webhook_id = w.id and status <> 'delivered'
              and status = 'pending'
            limit ${troublesMax}) d) due
    left join lateral (
      select d.last_attempt_at as at, d.error, d.response_status,
        case when not d.is_leased then d.next_at end as next_at
      from (values ('failed'), ('pending')) as kind (status)
      cross join lateral (
        select last_attempt_at, error, response_status, next_at, is_leased, test from webhook_delivery
        where workspace_id = ${workspaceId} and webhook_id = w.id and status <> 'delivered'
          and status = kind.status
        order by event_id desc limit ${scannedMax}) d
      -- Of tests only while nothing has arrived since: they are not replayed.
      where d.error is not null and (not d.test or w.failing_since is not null)
      order by d.last_attempt_at desc limit 1) trouble on true
    where w.workspace_id = ${workspaceId} and w.deleted_at is null order by w.id desc`)
}

export async function disablesFailing(db: Database, workspaceId: number): Promise<boolean> {
  const [row] = await db.rows<{ disables: boolean }>(sql`
    select disables_failing_webhooks as disables from workspace where id = ${workspaceId}`)
  return row?.disables ?? false
}

/** Deliveries of a webhook that are counted at most. */
const backlogMax = 10_000

export interface WebhookBacklog {
  /** Deliveries that wait for an attempt, at most 10,000 of each webhook. */
  rows: number
  /** Seconds since the first of them was due; 0 when none is. */
  seconds: number
}

/** Of all workspaces. */
export function webhookBacklog(db: Database): Promise<WebhookBacklog> {
  return db.onlyRow<WebhookBacklog>(sql`
    select coalesce(sum(c.rows), 0)::int8 as rows,
      coalesce(greatest(0, extract(epoch from facteur_now() - min(c.first))), 0)::float8 as seconds
    from workspace s
    join webhook w on w.workspace_id = s.id and w.deleted_at is null and w.enabled
    cross join lateral (
      select count(*) as rows, min(next_at) as first from (
        select next_at from webhook_delivery
        where workspace_id = s.id and webhook_id = w.id and next_at is not null
        order by next_at limit ${backlogMax}) d
    ) c`)
}
