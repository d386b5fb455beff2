/** What a user of a workspace should mend, as its tables show it. */
import type { AttentionKind } from '../../contract/workspace/overview-period.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface AttentionRow {
  what: AttentionKind
  /** Of the campaign, webhook or key; the name of a domain. */
  id: string
  name: string
  /** Of a key: when it was last used, or expires. */
  since: Date | null
}

/**
 * At most `max` of a kind, the oldest first: webhooks that fail or were disabled for it, domains
 * that wait for their records or lost them, paused campaigns, and keys.
 */
export function attentionOf(
  db: Database,
  workspaceId: number,
  { max, unusedDays, expiringDays }: { max: number; unusedDays: number; expiringDays: number },
): Promise<AttentionRow[]> {
  return db.rows<AttentionRow>(sql`
    with moment as materialized (
      select facteur_now() as now, facteur_now() - make_interval(days => ${unusedDays}) as unused_since,
        facteur_now() + make_interval(days => ${expiringDays}) as expiring_until
    ), key as materialized (
      select id::text, name, coalesce(last_used_at, created_at) as used_at, expires_at
      from api_key, moment
      where workspace_id = ${workspaceId} and revoked_at is null
        and (expires_at is null or expires_at > moment.now)
    )
    (select 'campaign_paused' as what, id::text, name, paused_at as since
      from campaign
      where workspace_id = ${workspaceId} and status = 'sending' and paused_at is not null
      order by paused_at limit ${max})
    union all
    (select 'domain_broken', d.name, d.name, lost.since
      from domain d
      cross join lateral (
        select min(missed_since) as since
        from dns_record
        where workspace_id = ${workspaceId} and domain = d.name and announced_at is not null
        having count(*) > 0) lost
      where d.workspace_id = ${workspaceId} and d.status = 'verified'
      order by lost.since limit ${max})
    union all
    (select 'domain_waiting', name, name, created_at
      from domain
      where workspace_id = ${workspaceId} and status = 'pending'
      order by created_at limit ${max})
    union all
    (select 'webhook_disabled', id::text, name, disabled_at
      from webhook
      where workspace_id = ${workspaceId} and deleted_at is null and not enabled
        and disabled_because = 'failing'
      order by disabled_at limit ${max})
    union all
    (select 'webhook_failing', id::text, name, failing_since
      from webhook
      where workspace_id = ${workspaceId} and deleted_at is null and enabled
        and failing_since is not null
      order by failing_since limit ${max})
    union all
    (select 'key_expiring', id, name, expires_at
      from key, moment
      where expires_at <= moment.expiring_until
      order by expires_at limit ${max})
    union all
    (select 'key_unused', id, name, used_at
      from key, moment
      where used_at < moment.unused_since and (expires_at is null or expires_at > moment.expiring_until)
      order by used_at limit ${max})`)
}
