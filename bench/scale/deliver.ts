/**
 * The outcome of a campaign of any size: most mails arrived, a third were opened, each kind of
 * failure occurs a few times.
 */
import type pg from 'pg'
import { recountCampaign } from '../../src/db/campaigns/campaign-recount.ts'
import type { Connection } from '../../src/database/client/connect.ts'

/**
 * Outcomes of a frozen list, in workspace 1: as workers, opens and clicks leave it, its counters
 * too.
 */
export async function deliver(
  client: pg.Client,
  db: Connection,
  campaignId: string,
): Promise<void> {
  // It was filled in one go: without figures of it PostgreSQL joins it to itself row by row.
  await client.query('analyze campaign_recipient')
  // One in a thousand of each sort, one in a hundred thousand of the rarest; the rest of a number
  // of its own for each.
  await client.query(
    `update campaign_recipient r set state = 'settled', attempts = 1, status = n.status, response = '250 2.0.0 Ok',
       sent_at = case when n.status not in ('failed', 'suppressed') then facteur_now() end,
       delivered_at = case when n.status in ('delivered', 'complained') then facteur_now() end,
       error = case when n.status in ('failed', 'suppressed', 'bounced') then n.status end,
       opened_at = case when n.place % 3 = 0 then facteur_now() end, clicked_at = case when n.place % 3000 = 0 then facteur_now() end,
       unsubscribed_at = case when n.place % 10000 = 33 then facteur_now() end
     from (
       select subscriber_id, place, case when place % 3 = 0 then 'delivered' when place % 1000 = 7 then 'bounced' when place % 5000 = 11 then 'complained'
         when place % 1000 = 13 then 'failed' when place % 2000 = 17 then 'suppressed' else 'delivered' end as status
       from (select subscriber_id, row_number() over (order by subscriber_id) as place from campaign_recipient where campaign_id = $1) p
     ) n
     where r.workspace_id = 1 and r.campaign_id = $1 and r.subscriber_id = n.subscriber_id`,
    [campaignId],
  )
  await client.query(
    `insert into engagement (workspace_id, id, campaign_id, subscriber_id, kind, link_position, visitor, user_agent, at)
     select 1, gen_random_uuid(), campaign_id, subscriber_id, kind, case kind when 'click' then 0 end, visitor, 'Mozilla/5.0', facteur_now()
     from campaign_recipient cross join (values ('open', 'person'), ('click', 'person'), ('open', 'scanner'), ('click', 'scanner')) v (kind, visitor)
     where campaign_id = $1 and case when visitor = 'scanner' then right(subscriber_id::text, 1) in ('3', '7')
       when kind = 'click' then clicked_at is not null else opened_at is not null end`,
    [campaignId],
  )
  await client.query(
    `update campaign set status = 'sent', sent_at = facteur_now(), completed_at = facteur_now() where workspace_id = 1 and id = $1`,
    [campaignId],
  )
  await client.query(
    `update campaign_run p set pending = 0, sent = n.sent, failed = n.failed, suppressed = n.suppressed, claimed_to = last_id
     from (
       select count(*) filter (where sent_at is not null) as sent, count(*) filter (where status = 'suppressed') as suppressed,
         count(*) filter (where sent_at is null and status <> 'suppressed') as failed
       from campaign_recipient where campaign_id = $1
     ) n
     where p.workspace_id = 1 and p.campaign_id = $1`,
    [campaignId],
  )
  await recountCampaign(db, { workspaceId: 1, campaignId })
  await client.query('vacuum analyze')
}
