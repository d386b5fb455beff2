/**
 * A log of any size: half of it single messages over a year, half mails of campaigns, with statuses
 * as they come about.
 */
import type pg from 'pg'

const idOf = (seed: string, ms: string): string =>
  `(lpad(to_hex((${ms})::bigint), 12, '0') || '7' || substr(md5('${seed}' || n), 1, 3) || '8' || substr(md5('${seed}x' || n), 1, 15))::uuid`
const firstNames =
  "array['camille','ines','hugo','lea','louis','emma','jules','chloe','adam','lina']"
const lastNames =
  "array['martin','bernard','dubois','thomas','robert','petit','durand','leroy','moreau','simon','laurent']"
const domains = "array['gmail.example','orange.example','example.com','laposte.example']"
const addressOf = `(case when n <= 20 then 'early' || n else (${firstNames})[1 + n % 10] || '.' || (${lastNames})[1 + n % 11] || n end) || '@' || (${domains})[1 + n % 4]`
const statusOf = `case when n % 200 = 7 then 'bounced' when n % 100000 = 11 then 'complained' when n % 900 = 3 then 'failed' when n % 50000 = 19 then 'sent' else 'delivered' end`

/**
 * Fills workspace 1; answers how many of each there are. One campaign has three fifths of all
 * campaign mails, ninety share the rest.
 */
export async function fillLog(
  client: pg.Client,
  size: number,
): Promise<{ singles: number; mails: number }> {
  const singles = Math.floor(size / 2)
  const year = "timestamptz '2026-11-01' - interval '365 days'"
  await client.query('begin')
  await client.query(
    `create temporary table line as
     select n, ${idOf('m', `1761955200000 + n::bigint * 31536000000 / ${singles}`)} as id, ${addressOf} as email,
       ${statusOf} as status, ${year} + n * (interval '365 days' / ${singles}) as at
     from generate_series(1, $1::int) n`,
    [singles],
  )
  await client.query(
    `insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
     select 1, id, json_build_object('from', json_build_object('name', 'Demo', 'address', 'hello@demo.test'),
         'to', json_build_array(json_build_object('name', null, 'address', email)), 'cc', '[]'::json, 'bcc', '[]'::json, 'replyTo', '[]'::json, 'headers', '[]'::json),
       'Your order ' || lpad(n::text, 7, '0') || case when n * 2 < $1::int then ' from ancient times' else ' is on its way' end,
       case when n % 5 = 0 then '{"kind":"receipt"}'::jsonb when n % 100000 = 1 then '{"trial":"a"}'::jsonb when n % 3 = 0 then '{"kind":"notice"}'::jsonb end,
       id || '@demo.test', at, '2026-01-01' from line`,
    [singles],
  )
  await client.query(
    `insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, attempts, response, sent_at, delivered_at)
     select 1, id, 0, 'to', email, email, status, 'settled', 'transactional', at, 1, '250 2.0.0 Ok: queued', at, case when status = 'delivered' then at end from line`,
  )
  await client.query('drop table line')
  const contacts = Math.floor((singles * 3) / 5)
  await client.query(
    `insert into subscriber (workspace_id, id, email, status, first_name, source, created_at, updated_at)
     select 1, ${idOf('s', '1700000000000 + n')}, ${addressOf}, 'subscribed', initcap((${firstNames})[1 + n % 10]), 'import', facteur_now(), facteur_now()
     from generate_series(1, $1::int) n`,
    [contacts],
  )
  await client.query(
    'insert into subscriber_search_pending select workspace_id, id from subscriber',
  )
  await client.query(
    `insert into campaign (workspace_id, id, name, subject, from_name, from_email, format, source, status, frozen_at, sent_at, completed_at, created_at, updated_at)
     select 1, ${idOf('c', '1761955200000 + n::bigint * 345600000')}, 'Letter ' || n, 'Letter ' || n || ' for {{firstName}}', 'Demo', 'hello@demo.test', 'text', '{}', 'sent',
       at, at, at, at, at from generate_series(1, 91) n cross join lateral (select ${year} + n * interval '4 days' as at) t`,
  )
  await client.query(
    `create temporary table person as
     select id, email, row_number() over (order by id)::int as n from subscriber where workspace_id = 1`,
  )
  // The one in the middle goes to everybody, so that each of the others has a part.
  await client.query(
    `insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, sent_at, delivered_at, response)
     select 1, c.id, s.id, s.email, 'settled', ${statusOf}, 1, c.sent_at, c.sent_at, '250 2.0.0 Ok'
     from (select id, sent_at, row_number() over (order by frozen_at) as nth from campaign where workspace_id = 1) c
     join person s on c.nth = 46 or s.n % 135 = c.nth`,
  )
  await client.query(
    `insert into campaign_run (workspace_id, campaign_id, claimed_to, last_id, opens_at, recipients, pending, sent, failed)
     select 1, campaign_id, max(subscriber_id::text)::uuid, max(subscriber_id::text)::uuid, facteur_now(), count(*), 0,
       count(*) filter (where status <> 'failed'), count(*) filter (where status = 'failed')
     from campaign_recipient where workspace_id = 1 group by campaign_id`,
  )
  await client.query(
    `insert into campaign_failure (workspace_id, campaign_id, status, subscriber_id)
     select workspace_id, campaign_id, status, subscriber_id from campaign_recipient where status in ('bounced', 'complained', 'failed')`,
  )
  await client.query('commit')
  await client.query('analyze')
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from campaign_recipient',
  )
  return { singles, mails: rows[0]?.count ?? 0 }
}
