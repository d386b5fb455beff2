/** Webhooks: the event subscriptions of a workspace, with their sealed secrets. */
import type { EventType } from '../../contract/events.ts'
import { fragment } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface WebhookRow {
  id: string
  name: string
  url: string
  events: EventType[]
  enabled: boolean
  /** Sealed. */
  secret: Buffer
  /** The previous one, sealed, while it signs too. */
  previousSecret: Buffer | null
  previousUntil: Date | null
  failingSince: Date | null
  createdAt: Date
  updatedAt: Date
}

const webhookColumns = fragment`
  id, name, url, events, enabled, secret,
    case when previous_until > facteur_now() then previous_secret end as previous_secret,
      previous_until, failing_since, created_at, updated_at`

export interface NewWebhook extends Pick<
  WebhookRow,
  'id' | 'name' | 'url' | 'events' | 'enabled' | 'secret'
> {
  host: string
}

/**
 * Stores it unless the workspace has `max` already: then null. The workspace is locked, so that two
 * at once do not both pass.
 */
export async function insertWebhook(
  tx: Database,
  workspaceId: number,
  webhook: NewWebhook,
  max: number,
): Promise<WebhookRow | null> {
  await tx.rows(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
  return tx.row<WebhookRow>(sql`
    with room as materialized (
      select date_trunc('milliseconds', facteur_now()) as at
      where (select count(*) from webhook where workspace_id = ${workspaceId} and deleted_at is null) < ${max}
    )
    insert into webhook (workspace_id, id, name, url, host, events, enabled, secret, created_at, updated_at)
    select ${workspaceId}, ${webhook.id}, ${webhook.name}, ${webhook.url}, ${webhook.host},
      ${webhook.events}::text[], ${webhook.enabled},
      ${webhook.secret}::bytea, at, at
    from room
    returning ${webhookColumns}`)
}

/** All of a workspace, newest first: twenty at most. */
export function webhooksOf(db: Database, workspaceId: number): Promise<WebhookRow[]> {
  return db.rows<WebhookRow>(sql`
    select ${webhookColumns}
    from webhook
    where workspace_id = ${workspaceId} and deleted_at is null
    order by id desc`)
}

export function webhookById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<WebhookRow | null> {
  return db.row<WebhookRow>(sql`
    select ${webhookColumns}
    from webhook
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`)
}

/** Changes; null leaves the value. */
export interface WebhookChange {
  name: string | null
  url: string | null
  host: string | null
  events: EventType[] | null
  enabled: boolean | null
}

/**
 * Answers whether it exists. When one is enabled again or gets another URL, its pending deliveries
 * go out from now on, and its time of failing starts again.
 */
export async function updateWebhookRow(
  tx: Database,
  workspaceId: number,
  id: string,
  change: WebhookChange,
): Promise<boolean> {
  const rows = await tx.rows(sql`
    with changed as (
      update webhook
      set name = coalesce(${change.name}, name), url = coalesce(${change.url}, url),
        host = coalesce(${change.host}, host),
        events = coalesce(${change.events}::text[], events), enabled = coalesce(${change.enabled}, enabled),
        disabled_at = case when coalesce(${change.enabled}, enabled) then null
          when enabled then (select facteur_now()) else disabled_at end,
        disabled_because = case when not coalesce(${change.enabled}, enabled) then disabled_because end,
        failing_since = case when ${change.url}::text is null
          and ${change.enabled}::boolean is null then failing_since end,
        updated_at = date_trunc('milliseconds', facteur_now())
      where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null
      returning id
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'webhook', facteur_now()
      from changed
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
    )
    select 1 from changed`)
  return rows.length > 0
}

/**
 * Makes the current secret the previous one, for so long. Answers whether there is such a webhook.
 */
export function replaceSecret(
  db: Database,
  workspaceId: number,
  id: string,
  { secret, overlapSeconds }: { secret: Buffer; overlapSeconds: number },
): Promise<boolean> {
  return db.changes(sql`
    update webhook set previous_secret = case when ${overlapSeconds}::float8 > 0 then secret end,
      previous_until = case
        when ${overlapSeconds}::float8 > 0
        then (select facteur_now() + make_interval(secs => ${overlapSeconds})) end,
      secret = ${secret}::bytea, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`)
}

/** Hides it: it receives no events, and nothing is sent. Answers whether there was one. */
export function hideWebhook(db: Database, workspaceId: number, id: string): Promise<boolean> {
  return db.changes(sql`
    update webhook set deleted_at = facteur_now(), events = '{}', enabled = false
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`)
}

/** Hidden webhooks whose journal is still to be deleted. */
export function hiddenWebhooks(db: Database, workspaceId: number): Promise<string[]> {
  return db.column<string>(sql`
    select id from webhook where workspace_id = ${workspaceId} and deleted_at is not null`)
}

export async function dropWebhook(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(
    sql`delete from webhook where workspace_id = ${workspaceId} and id = ${id} and deleted_at is not null`,
  )
}

/**
 * Disables the webhooks of a workspace with this setting whose every attempt has failed for so
 * long; answers which.
 */
export function disableFailing(
  db: Database,
  workspaceId: number,
  failingSeconds: number,
): Promise<{ id: string; name: string; url: string }[]> {
  return db.rows<{ id: string; name: string; url: string }>(sql`
    update webhook h set enabled = false, disabled_at = facteur_now(), disabled_because = 'failing',
      updated_at = date_trunc('milliseconds', facteur_now())
    from workspace w
    where w.id = ${workspaceId} and w.disables_failing_webhooks and h.workspace_id = ${workspaceId}
      and h.enabled
      and h.failing_since <= facteur_now() - make_interval(secs => ${failingSeconds})
    returning h.id, h.name, h.url`)
}

/**
 * Sets whether webhooks of the workspace that fail for days are disabled. Answers whether there is
 * such a workspace.
 */
export function setDisablesFailing(
  db: Database,
  workspaceId: number,
  disables: boolean,
): Promise<boolean> {
  return db.changes(
    sql`update ${home}workspace set disables_failing_webhooks = ${disables} where id = ${workspaceId}`,
  )
}
