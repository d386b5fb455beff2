import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Rows that a process of the service has in its hands: mails between claim and outcome, deliveries
 * of webhooks.
 */
export function countRowsInHand(db: Database, workspaceId: number): Promise<number> {
  return db.onlyValue<number>(sql`
    select (select count(*)
      from recipient
      where workspace_id = ${workspaceId} and lane <> 'held' and state = 'leased' and next_at > facteur_now())
      + (select count(*)
        from webhook_delivery
        where workspace_id = ${workspaceId} and is_leased and next_at > facteur_now())
      + coalesce((select sum((
          select count(*)
          from campaign_recipient r
          where r.workspace_id = ${workspaceId} and r.campaign_id = p.campaign_id
            and r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to and r.state = 'leased'
            and r.leased_until > facteur_now())
        + (select count(*)
          from campaign_recipient r
          where r.workspace_id = ${workspaceId} and r.campaign_id = p.campaign_id
            and r.next_at is not null
            and not (r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to)
            and r.state = 'leased' and r.leased_until > facteur_now()))
        from campaign_run p where p.workspace_id = ${workspaceId}), 0)::int8 as held`)
}
