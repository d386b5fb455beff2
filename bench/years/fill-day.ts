/**
 * Writes the rows of a day's messages, as the service leaves them when each is finished, spread
 * over the day.
 */
import type pg from 'pg'

/**
 * The share of messages that have each kind of row besides line, texts, recipient, call, events and
 * deliveries.
 */
const shares = {
  opened: 0.35,
  clicked: 0.08,
  deferred: 0.05,
  bounced: 0.02,
  attached: 0.02,
  headers: 0.05,
}

/** Bytes of a message's HTML and of a file. */
const [htmlBytes, fileBytes] = [3_500, 20_000]

/** Different texts, which repeat. */
const textCount = 2_000

/** Rows of one statement. */
const atOnce = 10_000

export interface Filler {
  webhookId: string
  fill(day: number, startMs: number): Promise<void>
}

export async function createFiller(
  client: pg.Client,
  { perDay, base, key }: { perDay: number; base: string; key: string },
): Promise<Filler> {
  // Words in any order, so that PostgreSQL compresses the texts as it does real ones.
  await client.query(`
    create temp table texts as
    select i, (select substr(string_agg('<p>' || (array['order', 'bonjour', 'livraison', 'invoice', 'merci', 'the', 'of', 'https://example.com/']) [1 + (random() * 7)::int]
      || substr(md5(random()::text || i || g), 1, 5) || '</p> ', ''), 1, ${htmlBytes}) from generate_series(1, 250) g) as html
    from generate_series(0, ${textCount - 1}) i`)
  await client.query('create unique index on texts (i); analyze texts')
  const answer = await fetch(`${base}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'journal',
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.delivered'],
    }),
  })
  const read = (await answer.json()) as { id?: string }
  if (!read.id) throw new Error(`The webhook was refused: ${JSON.stringify(read)}`)
  const webhookId = read.id
  return {
    webhookId,
    async fill(day, startMs) {
      for (let from = 0; from < perDay; from += atOnce)
        await fillPart(client, {
          day,
          startMs,
          perDay,
          from,
          to: Math.min(perDay, from + atOnce),
          webhookId,
        })
    },
  }
}

interface Part {
  day: number
  startMs: number
  perDay: number
  from: number
  to: number
  webhookId: string
}

async function fillPart(
  client: pg.Client,
  { day, startMs, perDay, from, to, webhookId }: Part,
): Promise<void> {
  const stepMs = 82_800_000 / perDay
  const uuid = (ms: string, mark: string): string =>
    `(lpad(to_hex(${ms}), 12, '0') || '7' || substr(md5(n || '${mark}'), 1, 3) || '8' || substr(md5(n || '${mark}'), 4, 15))::uuid`
  await client.query('begin')
  await client.query('drop table if exists part')
  await client.query(`
    create temp table part on commit drop as
    select n, ms, to_timestamp(ms / 1000.0) as at, ${uuid('ms', `m${day}`)} as id, ${uuid('ms + 400', `s${day}`)} as sent, ${uuid('ms + 3000', `d${day}`)} as delivered,
      ${uuid('ms + 60000', `o${day}`)} as opened, ${uuid('ms + 90000', `c${day}`)} as clicked, ${uuid('ms', `r${day}`)} as request,
      'person' || (n % 30000) || '@example.com' as email, random() as chance, random() as other
    from (select n, (${startMs} + n * ${stepMs})::bigint as ms from generate_series(${from}, ${to - 1}) n) numbers`)
  const body = (
    type: string,
    id: string,
  ): string => `jsonb_build_object('id', ${id}, 'type', '${type}', 'created_at', at, 'data', jsonb_build_object(
      'email_id', id, 'to', email, 'from', 'shop@demo.test', 'subject', 'Your order ' || n, 'message_id', '<' || id || '@demo.test>', 'tags', jsonb_build_object('kind', 'order')))::text`
  const statements = [
    `insert into message (workspace_id, id, head, subject, tags, message_id, created_at, size)
     select 1, id, json_build_object('from', json_build_object('name', 'Shop', 'address', 'shop@demo.test'), 'to', json_build_array(json_build_object('name', null, 'address', email)),
       'cc', json_build_array(), 'bcc', json_build_array(), 'replyTo', json_build_array(), 'headers', case when chance < ${shares.headers} then json_build_array(json_build_array('X-Order', n::text)) else json_build_array() end,
       'returnPathHost', null), 'Your order ' || n, '{"kind":"order"}', '<' || id || '@demo.test>', at, ${htmlBytes} from part`,
    `insert into message_body (workspace_id, message_id, html, text)
     select 1, id, html, null from part join texts on i = n % ${textCount}`,
    `insert into attachment (workspace_id, message_id, position, filename, content_type, content)
     select 1, id, 0, 'invoice.pdf', 'application/pdf', decode(repeat(md5(n::text), ${fileBytes / 16}), 'hex') from part where other < ${shares.attached}`,
    `insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, fence, attempts, response, sent_at, delivered_at, settled_at, opened_at, clicked_at)
     select 1, id, 0, 'to', email, email, case when chance > ${1 - shares.bounced} then 'bounced' else 'delivered' end, 'settled', 'transactional', at, 1, 1, '250 2.0.0 queued as ' || substr(md5(n::text), 1, 10),
       at, at + interval '3 seconds', at + interval '3 seconds', case when chance < ${shares.opened} then at + interval '1 minute' end, case when chance < ${shares.clicked} then at + interval '90 seconds' end from part`,
    `insert into event (workspace_id, id, place, type, body, created_at)
     select 1, sent, nextval('event_order'), 'email.sent', ${body('email.sent', 'sent')}, at from part
     union all select 1, delivered, nextval('event_order'), 'email.delivered', ${body('email.delivered', 'delivered')}, at from part`,
    `insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, attempts, response_status, duration_ms, attempt_log, created_at, last_attempt_at)
     select 1, '${webhookId}', e.id, e.type, 'delivered', 1, 200, 41, jsonb_build_array(jsonb_build_object('at', at, 'status', 200, 'duration_ms', 41)), at, at
     from part, lateral (values (sent, 'email.sent'), (delivered, 'email.delivered')) e (id, type)`,
    `insert into engagement (workspace_id, id, message_id, recipient_position, kind, link_position, visitor, user_agent, at, device, os, client)
     select 1, e.id, part.id, 0, e.kind, case e.kind when 'click' then 0 end, 'person', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15', at, 'Phone', 'iOS', 'Mail'
     from part, lateral (values (opened, 'open', chance < ${shares.opened}), (clicked, 'click', chance < ${shares.clicked})) e (id, kind, happened) where happened`,
    `insert into deferral (workspace_id, mail_id, part, attempt, at, response)
     select 1, id, '0', 1, at, '451 4.7.1 greylisted, try again later' from part where other > ${1 - shares.deferred}`,
    `insert into feedback (workspace_id, source, source_id, message_id, position, kind, detail, received_at, bounce, code, raw_id)
     select 1, 'dsn', id::text, id, 0, 'bounced', '550 5.1.1 no such user', at, 'hard', '5.1.1', id::text from part where chance > ${1 - shares.bounced}`,
    `insert into raw_notice (workspace_id, source, id, bytes, size, received_at)
     select 1, 'dsn', id::text, convert_to(substr(html, 1, 2500), 'UTF8'), 2500, at from part join texts on i = n % ${textCount} where chance > ${1 - shares.bounced}`,
    `insert into request_log (workspace_id, id, key_id, operation, mcp, status, duration_us, request_id, address, message_id, calls)
     select 1, request, '00000000-0000-7000-8000-000000000000', 'sendEmail', false, 202, 4100, 'req_' || replace(request::text, '-', ''), '203.0.113.' || n % 250, id, 1 from part`,
  ]
  for (const statement of statements) await client.query(statement)
  await client.query('commit')
}
