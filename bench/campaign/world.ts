/**
 * A service with a relay, and campaigns of any size on it: each of a workspace of its own, so that
 * none is in another's way.
 */
import { allScopes } from '../../src/contract/scopes.ts'
import { makeApiKey } from '../../src/core/workspaces/make-api-key.ts'
import { createWorkspace } from '../../src/core/workspaces/create-workspace.ts'
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { insertDomain, verifyDomain } from '../../src/db/domains/domains.ts'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { setRatePerMinute } from '../../src/db/workspaces/workspaces.ts'
import { makeIds } from '../../src/ground/ids.ts'

export interface Shop {
  id: number
  key: string
  domain: string
  campaignId: string
}

/** About 5 KB as they leave: a name, a few links, and paragraphs enough. */
const campaign = {
  name: 'Bench',
  subject: 'News for {{firstName | default: "you"}}',
  text: `# Hello {{firstName | default: "you"}}\n\n${'Seven things are new this month, and all of them are told in two minutes. '.repeat(2)}\n\nhttps://example.com/first and https://example.com/second`,
}

let result = 0

/**
 * A workspace with so many subscribers and a draft for them. `cell`: the one that `db` means, where
 * there are several.
 */
export async function openShop(
  db: Connection,
  baseUrl: string,
  subscribers: number,
  cell?: number,
): Promise<Shop> {
  const makeId = makeIds(() => Date.now())
  const ctx = { db, makeId }
  const domain = `bench${++result}.test`
  const workspace = await createWorkspace(ctx, {
    name: `bench ${result}`,
    ...(cell !== undefined && { cell }),
  })
  if (!workspace) throw new Error('The workspace is there already')
  const { id } = workspace
  await insertDomain(db, id, domain)
  await verifyDomain(db, id, domain)
  await setRatePerMinute(db, id, 100_000_000)
  await upsertSender(db, id, { id: makeId(), name: 'Bench', email: `hello@${domain}` })
  const { key } = await makeApiKey(ctx, {
    workspaceId: id,
    name: 'bench',
    scopes: [...allScopes],
    expiresAt: null,
  })
  for (let from = 1; from <= subscribers; from += 50_000) {
    await db.count(sql`
      insert into subscriber (workspace_id, id, email, status, created_at, updated_at, first_name, last_name)
      select ${id}, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'person' || n || '@example.com', 'subscribed',
        facteur_now(), facteur_now(), 'Person' || n, 'Example'
      from generate_series(${from}::int, ${Math.min(subscribers, from + 49_999)}::int) n`)
  }
  const created = await call(baseUrl, key, 'POST /api/v1/campaigns', campaign)
  return { id, key, domain, campaignId: String(created['id']) }
}

/**
 * Sends, and waits until the last one was taken; answers the seconds from the call on, and those of
 * the call itself.
 */
export async function sendAll(
  db: Connection,
  baseUrl: string,
  shop: Shop,
  everyMs = 20,
): Promise<{ seconds: number; freezeSeconds: number }> {
  const began = performance.now()
  await beginSending(baseUrl, shop)
  const freezeSeconds = (performance.now() - began) / 1_000
  await untilTaken(db, shop, everyMs)
  return { seconds: (performance.now() - began) / 1_000, freezeSeconds }
}

async function untilTaken(
  db: Connection,
  shop: Pick<Shop, 'id' | 'campaignId'>,
  everyMs: number,
): Promise<void> {
  for (;;) {
    const [row] = await db.rows<{ recipients: number; pending: number; sent: number }>(sql`
      select recipients, pending, sent from campaign_run where workspace_id = ${shop.id} and campaign_id = ${shop.campaignId}`)
    if (row?.pending === 0) {
      if (row.sent !== row.recipients)
        throw new Error(`Only ${row.sent} of ${row.recipients} were taken`)
      return
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

/**
 * Schedules the draft for now, since no key sends one that has an audience. Waits until the last
 * one was taken.
 */
export async function sendScheduled(db: Connection, { id, campaignId }: Shop): Promise<void> {
  await db.count(sql`
    with scheduled as (
      update campaign set status = 'scheduled', scheduled_at = facteur_now()
      where workspace_id = ${id} and id = ${campaignId}
    )
    insert into due (workspace_id, lane, next_at) values (${id}, 'campaign', facteur_now())
    on conflict (workspace_id, lane) do update set next_at = excluded.next_at`)
  await untilTaken(db, { id, campaignId }, 20)
}

/** `excluding`: without those who received a campaign, who are none. */
export type Half = 'half' | 'excluding'

/** The draft goes to a segment of every second contact. */
export async function chooseHalf(
  db: Connection,
  { id, campaignId }: Shop,
  half: Half,
): Promise<void> {
  const segment = makeIds(() => Date.now())()
  await db.count(sql`insert into subscriber_tag values (${id}, 'half', facteur_now())`)
  await db.count(sql`
    update subscriber set tags = '{half}'
    where workspace_id = ${id} and substring(email from 'person([0-9]+)@')::int % 2 = 0`)
  await db.count(sql`
    insert into segment (workspace_id, id, name, definition, created_at, updated_at)
    values (${id}, ${segment}, 'Half', '{"tag": "half"}', facteur_now(), facteur_now())`)
  await db.count(sql`
    update campaign
    set audience = json_build_object('to', json_build_object('segment', ${segment}::text),
      'except', ${JSON.stringify(half === 'half' ? [] : [{ received: { within_days: 7 } }])}::json)
    where workspace_id = ${id} and id = ${campaignId}`)
}

/** Freezes the list. */
export async function beginSending(baseUrl: string, { key, campaignId }: Shop): Promise<void> {
  await call(baseUrl, key, `POST /api/v1/campaigns/${campaignId}/send`)
}

async function call(
  baseUrl: string,
  key: string,
  line: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(300_000),
  })
  if (response.status >= 300)
    throw new Error(`${line} was answered ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
