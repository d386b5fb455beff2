/**
 * An installation with so many messages of the last month: six of ten single ones, the others of
 * campaigns, half of them in workspace 1 and the rest in nine others. Events, calls, opens and
 * audiences grow with them.
 */
import type pg from 'pg'
import { gramsOfMessage, textsOf } from '../../src/core/message-index/message-text.ts'

/** The workspaces; the first has every other message. */
export const workspaces = 10
const contacts = 20_000
const subjects = 500
/** Of all workspaces; the first has half of them. */
const campaigns = 100
/** Messages that are made at once. */
const chunk = 500_000

export const fillDays = 29

const firstNames = [
  'camille',
  'ines',
  'hugo',
  'lea',
  'louis',
  'emma',
  'jules',
  'chloe',
  'adam',
  'lina',
]
const lastNames = [
  'martin',
  'bernard',
  'dubois',
  'thomas',
  'robert',
  'petit',
  'durand',
  'leroy',
  'moreau',
  'simon',
  'laurent',
]
const domains = ['gmail.example', 'orange.example', 'example.com', 'laposte.example']
const tagsOf = (n: number): Record<string, string> | null =>
  n % 5 === 0 ? { kind: 'receipt' } : n % 3 === 0 ? { kind: 'notice' } : null

/** A text of SQL: the identifier of the n-th row, with the time `at` in it. */
const idOf = (seed: string): string =>
  `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5('${seed}' || n), 1, 3) || '8' || substr(md5('${seed}x' || n), 1, 15))::uuid`
const statusOf = `case when n % 200 = 7 then 'bounced' when n % 20000 = 11 then 'complained' when n % 900 = 3 then 'failed' when n % 50000 = 19 then 'sent' else 'delivered' end`

export interface Filled {
  /** In workspace 1. */
  messageId: string
  campaignId: string
  webhookId: string
  keyId: string
}

export async function fill(
  client: pg.Client,
  size: number,
  say: (line: string) => void,
): Promise<Filled> {
  const run = (text: string, values: unknown[] = []): Promise<pg.QueryResult> =>
    client.query(text, values)
  await run(
    `set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2`,
  )
  /** Subscribers of each workspace. */
  const audience = Math.max(100, Math.floor((size * 0.4) / campaigns))
  await makeWorkspaces(run, audience)
  await makePools(client)
  // Built at once in the end: entry by entry, the index of words takes most of the time, and is the
  // same afterwards.
  const later = ['message_grams', 'message_grams_sample', 'message_tags']
  const { rows: indexes } = await client.query<{ text: string }>(
    'select indexdef as text from pg_indexes where indexname = any ($1)',
    [later],
  )
  for (const name of later) await run(`drop index ${name}`)
  const singles = Math.floor(size * 0.6)
  const began = performance.now()
  for (let from = 1; from <= singles; from += chunk) {
    await makeMessages(run, { from, to: Math.min(singles, from + chunk - 1), singles })
    say(
      `  ${Math.min(singles, from + chunk - 1)} single messages after ${Math.round((performance.now() - began) / 1000)} s`,
    )
  }
  await makeCampaigns(run, audience)
  say(`  campaigns after ${Math.round((performance.now() - began) / 1000)} s`)
  for (const { text } of indexes) await run(text)
  await run(`insert into message_search_mark (workspace_id, sure_to) select id, facteur_now() - interval '1 minute' from workspace
    on conflict (workspace_id) do update set sure_to = excluded.sure_to`)
  await run('vacuum analyze')
  await run('checkpoint')
  say(`  counted and vacuumed after ${Math.round((performance.now() - began) / 1000)} s`)
  const call = async (text: string): Promise<string> =>
    String((await client.query<{ id: string }>(text)).rows[0]?.id)
  return {
    messageId: await call(
      'select id from message where workspace_id = 1 order by created_at desc limit 1',
    ),
    campaignId: await call(
      'select id from campaign where workspace_id = 1 order by created_at desc limit 1',
    ),
    webhookId: await call('select id from webhook where workspace_id = 1'),
    keyId: await call('select id from api_key where workspace_id = 1'),
  }
}

type Run = (text: string, values?: unknown[]) => Promise<pg.QueryResult>

async function makeWorkspaces(run: Run, audience: number): Promise<void> {
  await run(`insert into workspace (id, slug, name, plan, created_at) overriding system value
    select n, 'other' || n, 'Other', (select plan from workspace where id = 1), facteur_now() from generate_series(2, ${workspaces}) n`)
  await run(`insert into webhook (workspace_id, id, name, url, host, secret, events, created_at, updated_at, enabled)
    values (1, gen_random_uuid(), 'bench', 'https://receiver.example/', 'receiver.example', '\\x00', '{email.delivered}', facteur_now(), facteur_now(), true)`)
  await run(`insert into subscriber (workspace_id, id, email, status, first_name, source, created_at, updated_at)
    select w.id, ${idOf('s').replaceAll('|| n)', '|| n || w.id)')}, 'reader' || n || '@example.com', 'subscribed', 'Reader', 'import', at, at
    from workspace w cross join generate_series(1, ${audience}) n cross join lateral (select facteur_now() - interval '40 days' as at) t`)
  await run(
    'insert into subscriber_search_pending select workspace_id, id from subscriber where workspace_id = 1',
  )
  await run(
    `insert into subscriber_tally (workspace_id, change) select id, ${audience} from workspace`,
  )
}

/**
 * People and subjects with their pieces for the search: messages refer to them by number. The last
 * of each are rare.
 */
async function makePools(client: pg.Client): Promise<void> {
  await client.query(`create temporary table person (workspace_id bigint, k int, email text, text text, grams int[], primary key (workspace_id, k));
    create temporary table topic (workspace_id bigint, k int, subject text, words text, tags jsonb, tag_text text, grams int[], primary key (workspace_id, k))`)
  for (let workspaceId = 1; workspaceId <= workspaces; workspaceId++) {
    const persons = Array.from({ length: contacts }, (_, k) => {
      const email =
        k === contacts - 1
          ? 'seldom@example.com'
          : `${firstNames[k % 10]}.${lastNames[k % 11]}${k}@${domains[k % 4]}`
      const words = { addresses: [email], subject: '', tags: null }
      return { email, text: textsOf(words).addresses, grams: gramsOfMessage(workspaceId, words) }
    })
    const topics = Array.from({ length: subjects }, (_, k) => {
      const subject =
        k === subjects - 1
          ? 'Your xylophone is on its way'
          : `Your order of group ${1_000 + k} is on its way`
      const words = {
        addresses: [],
        subject,
        tags: k === subjects - 1 ? { trial: 'a' } : tagsOf(k),
      }
      const texts = textsOf(words)
      return {
        subject,
        words: texts.subject,
        tags: words.tags,
        tag_text: texts.tags,
        grams: gramsOfMessage(workspaceId, words),
      }
    })
    await client.query(
      `insert into person select $1, ordinal - 1, email, text, grams::int[]
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as p (email, text, grams, ordinal)`,
      [
        workspaceId,
        persons.map((p) => p.email),
        persons.map((p) => p.text),
        persons.map((p) => `{${p.grams.join()}}`),
      ],
    )
    await client.query(
      `insert into topic select $1, ordinal - 1, subject, words, tags::jsonb, tag_text, grams::int[]
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality as p (subject, words, tags, tag_text, grams, ordinal)`,
      [
        workspaceId,
        ...[
          topics.map((t) => t.subject),
          topics.map((t) => t.words),
          topics.map((t) => t.tags && JSON.stringify(t.tags)),
        ],
        ...[topics.map((t) => t.tag_text), topics.map((t) => `{${t.grams.join()}}`)],
      ],
    )
  }
  await client.query(`analyze person, topic; create temporary table line (
    n bigint, workspace_id bigint, id uuid, at timestamptz, email text, status text, subject text, tags jsonb, text text, words text, tag_text text, grams int[])`)
}

/**
 * Single messages `from` to `to` of all (the even ones are of workspace 1, which so has all
 * statuses), in the order of their times, as a month of accepting and handing over leaves them.
 */
async function makeMessages(
  run: Run,
  { from, to, singles }: { from: number; to: number; singles: number },
): Promise<void> {
  const isRare = `n in (${[1, 2, 3].map((part) => Math.floor((singles * part) / 4 / 2) * 2).join()})`
  await run('truncate line')
  await run(`
    insert into line
    select n, w, ${idOf('m')}, at, p.email, ${statusOf.replaceAll('n %', 'n / 2 %')}, t.subject, t.tags, p.text, t.words, t.tag_text, p.grams || t.grams
    from (
      select n, case when n % 2 = 0 then 1 else 2 + n / 2 % ${workspaces - 1} end as w,
        date_trunc('milliseconds', facteur_now() - interval '${fillDays} days' + n * (interval '${fillDays} days' / ${singles + 1})) as at,
        case when ${isRare} then ${contacts - 1} else n * 7919 % ${contacts - 1} end as p, case when ${isRare} then ${subjects - 1} else n % ${subjects - 1} end as t
      from generate_series(${from}::bigint, ${to}::bigint) n
    ) l join person p on p.workspace_id = w and p.k = l.p join topic t on t.workspace_id = w and t.k = l.t
    order by n`)
  await run(`
    insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month, size)
    select workspace_id, id, json_build_object('from', json_build_object('name', 'Demo', 'address', 'hello@demo.test'),
        'to', json_build_array(json_build_object('name', null, 'address', email)), 'cc', '[]'::json, 'bcc', '[]'::json, 'replyTo', '[]'::json, 'headers', '[]'::json),
      subject, tags, id || '@demo.test', at, date_trunc('month', at), 600 from line`)
  await run(`
    insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, fence, attempts, response, sent_at, delivered_at, settled_at, error, cause)
    select workspace_id, id, 0, 'to', email, email, status, 'settled', 'transactional', at, 1, 1, '250 2.0.0 Ok: queued', at,
      case when status = 'delivered' then at end, at, case when status in ('failed', 'bounced') then '550 no' end, case when status in ('failed', 'bounced') then 'refused' end from line`)
  await run(
    `insert into message_body (workspace_id, message_id, html) select workspace_id, id, repeat(md5(n::text), 16) from line`,
  )
  await run(`
    insert into message_search (workspace_id, at, message_id, addresses, subject, tags, grams)
    select workspace_id, at, id, text, words, tag_text, grams from line`)
  await run(`
    insert into feedback (workspace_id, source, source_id, message_id, position, kind, received_at)
    select workspace_id, 'bench', id::text, id, 0, status, at from line where status in ('bounced', 'complained')`)
  await run(`
    insert into engagement (workspace_id, id, message_id, recipient_position, kind, visitor, user_agent, at)
    select workspace_id, ${idOf('o')}, id, 0, 'open', 'person', 'Mozilla/5.0', at from line where n % 5 = 0 and status = 'delivered'`)
  await run(`
    insert into event (workspace_id, id, place, type, body, created_at)
    select 1, ${idOf('e')}, n, 'email.delivered', json_build_object('id', 'evt_' || replace((${idOf('e')})::text, '-', ''), 'type', 'email.delivered',
      'created_at', at, 'data', json_build_object('email_id', id, 'to', email))::text, at
    from line where workspace_id = 1 and n % 6 = 0`)
  await run(`
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, response_status, duration_ms, created_at, last_attempt_at, error)
    select 1, (select id from webhook where workspace_id = 1), ${idOf('e')}, 'email.delivered', case when n % 600 = 0 then 'failed' else 'delivered' end, 1, 200, 12, at, at,
      case when n % 600 = 0 then 'timeout' end
    from line where workspace_id = 1 and n % 6 = 0`)
  await run(`
    insert into request_log (workspace_id, id, key_id, operation, mcp, status, code, duration_us, request_id, address, message_id, calls)
    select 1, ${idOf('r')}, (select id from api_key where workspace_id = 1 limit 1), 'sendEmail', false, case when n % 100 = 0 then 422 else 202 end,
      case when n % 100 = 0 then 'validation_error' end, 2000, 'req_' || n, '127.0.0.1', case when n % 100 <> 0 then id end, 1
    from line where workspace_id = 1 and at > facteur_now() - interval '7 days'`)
  await run(`
    insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
    select workspace_id, ${idOf('q')}, id, 0, 'bounces@demo.test', email, convert_to(repeat('x', 300), 'UTF8'), at from line where n % 20 = 0 and at > facteur_now() - interval '7 days'`)
  await run(`
    insert into audit_log (workspace_id, id, who, act, subject, created_at)
    select workspace_id, ${idOf('a')}, 'owner@example.com', case when n % 200 = 0 then 'key.created' else 'subscriber.edited' end, 'bench', at from line where n % 100 = 0`)
  await run(`
    insert into suppression (workspace_id, email, id, reason, created_at)
    select workspace_id, 'gone' || n || '@example.com', ${idOf('p')}, 'bounce', at from line where n % 100 = 50`)
  await run(`
    insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
    select workspace_id, 'key ' || n, '\\x00', array[id], at from line where n % 2 = 0 and at > facteur_now() - interval '2 days'`)
}

/**
 * Campaigns of workspace 1 and of the others in turn, each to the whole audience. So many bounce
 * that the page of them is full at any size.
 */
async function makeCampaigns(run: Run, audience: number): Promise<void> {
  await run(`
    insert into campaign (workspace_id, id, name, subject, from_name, from_email, format, source, status, frozen_at, sent_at, completed_at, created_at, updated_at)
    select case when n % 2 = 0 then 1 else 2 + n / 2 % ${workspaces - 1} end, ${idOf('c')}, 'Letter ' || n, 'Letter ' || n, 'Demo', 'hello@demo.test', 'text', '{}', 'sent', at, at, at, at, at
    from generate_series(1, ${campaigns}) n cross join lateral (
      select date_trunc('milliseconds', facteur_now() - interval '${fillDays} days' + n * (interval '${fillDays} days' / ${campaigns + 1})) as at) t`)
  const atOnce = Math.ceil(chunk / audience)
  for (let from = 0; from < campaigns; from += atOnce) {
    await run(`
      insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, attempts, fence, sent_at, delivered_at, response, opened_at)
      select c.workspace_id, c.id, s.id, s.email, 'settled', case when n % 12 = 5 then 'bounced' else ${statusOf} end, 1, 1, c.sent_at, c.sent_at, '250 2.0.0 Ok', case when n % 3 = 0 then c.sent_at end
      from (select * from campaign where status = 'sent' order by id offset ${from} limit ${atOnce}) c
      join (select *, row_number() over (partition by workspace_id order by id) as n from subscriber) s on s.workspace_id = c.workspace_id
      order by c.id, s.id`)
  }
  await run(`
    insert into campaign_failure (workspace_id, campaign_id, status, subscriber_id)
    select workspace_id, campaign_id, status, subscriber_id from campaign_recipient where status in ('bounced', 'complained', 'failed')`)
  await run(`
    insert into campaign_run (workspace_id, campaign_id, claimed_to, last_id, opens_at, recipients, pending, sent, failed, handed_over)
    select workspace_id, campaign_id, max(subscriber_id::text)::uuid, max(subscriber_id::text)::uuid, facteur_now(), count(*), 0,
      count(*) filter (where status <> 'failed'), count(*) filter (where status = 'failed'), count(*) from campaign_recipient group by 1, 2`)
  await run(`
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select workspace_id, campaign_id, m, '', case m when 'delivered' then count(*) filter (where status = 'delivered') else count(*) filter (where opened_at is not null) end
    from campaign_recipient cross join (values ('delivered'), ('opened')) v (m) group by 1, 2, 3`)
}
