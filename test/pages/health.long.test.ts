/** Health, readiness and metrics: what they say when all is well, and when it is not. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../../src/ground/clock.ts'
import { watchHorizon } from '../../src/core/horizon-watch.ts'
import { recordAndClaim } from '../../src/db/campaigns/campaign-claims.ts'
import { releaseLostRecipients } from '../../src/db/campaigns/campaign-leases.ts'
import { createMetrics } from '../../src/entrypoints/health/metrics.ts'
import { createService } from '../../src/main/create-service.ts'
import { serveHealth } from '../../src/entrypoints/health/serve-health.ts'
import { addSubscribers, draftOf, send } from '../support/campaign-world.ts'
import { startApi, type Api } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { untilWaits } from '../support/database.ts'
import { operatorEntryPoints, ownAddress } from '../support/operator-entry-points.ts'
import { until } from '../support/until.ts'

const warned: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields: object, message: string) => void warned.push(message),
  error: (_fields: object, message: string) => void warned.push(message),
}
const api = await startApi({ log, entry: operatorEntryPoints() })
const workspace = await api.workspace('health')

async function get(
  path: string,
  base = api.baseUrl,
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(base + path)
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** The value of one line of the metrics. */
async function measure(line: string): Promise<number> {
  const { text } = await get('/metrics')
  const match = text.split('\n').find((candidate) => candidate.startsWith(`${line} `))
  return match === undefined ? Number.NaN : Number(match.slice(line.length + 1))
}

test('/healthz: 200 while the process lives; HEAD too', async () => {
  assert.deepEqual(JSON.parse((await get('/healthz')).text), { status: 'alive' })
  assert.equal((await fetch(`${api.baseUrl}/healthz`, { method: 'HEAD' })).status, 200)
})

test('/readyz: 200 with a migrated database that answers', async () => {
  const { status, text } = await get('/readyz')
  assert.deepEqual([status, JSON.parse(text)], [200, { status: 'ready' }])
})

test('/readyz: 503 and why, when a migration is missing or the schema is newer', async () => {
  await api.run(
    `update schema_migration set name = '9999_later.sql' where name = '0001_ground.sql'`,
  )
  const { status, text } = await get('/readyz')
  await api.run(
    `update schema_migration set name = '0001_ground.sql' where name = '9999_later.sql'`,
  )
  assert.equal(status, 503)
  assert.deepEqual(JSON.parse(text), {
    status: 'not_ready',
    reasons: [
      { reason: 'not_migrated', migrations: ['0001_ground.sql'] },
      { reason: 'newer_schema', migrations: ['9999_later.sql'] },
    ],
  })
  assert.equal((await get('/readyz')).status, 200)
})

test('/metrics: calls by operation and status, hand-offs of the day, the ledger, the pool, the process', async () => {
  const body = {
    from: `hello@${workspace.domain}`,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
  }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body })
  await workspace.capturedMails(textAt(sent, 'id'), 1)
  await ask(api.baseUrl, 'POST /api/v1/emails', { key: workspace.key, body: {} })
  await ask(api.baseUrl, 'GET /api/v1/nowhere', {})
  assert.equal(
    await measure(
      'facteur_http_request_duration_seconds_count{operation="sendEmail",status="202"}',
    ),
    1,
  )
  assert.equal(
    await measure(
      'facteur_http_request_duration_seconds_count{operation="sendEmail",status="422"}',
    ),
    1,
  )
  assert.ok(
    (await measure('facteur_http_request_duration_seconds_count{operation="none",status="404"}')) >=
      1,
  )
  assert.equal(await measure('facteur_today_recipients{event="handed_over"}'), 1)
  assert.equal(await measure('facteur_recipients{lane="transactional",state="in_doubt"}'), 0)
  assert.ok((await measure('facteur_due_lag_seconds{lane="transactional"}')) >= 0)
  // None is idle while the workers ask.
  await until(
    () => measure('facteur_database_connections{pool="main",state="idle"}'),
    (idle) => idle >= 1,
  )
  assert.ok((await measure('process_resident_memory_bytes')) > 0)
})

test('/metrics: rows in doubt and work that is late are seen', async () => {
  const later = {
    from: `hello@${workspace.domain}`,
    to: 'b@example.com',
    subject: 'x',
    text: 'x',
    scheduled_at: 'in 1 hour',
  }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', {
    ...{
      key: workspace.key,
      body: { ...later, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() },
    },
  })
  assert.equal(await measure('facteur_recipients{lane="transactional",state="pending"}'), 1)
  await api.run(
    `update recipient set state = 'in_doubt' where message_id = '${textAt(sent, 'id')}'`,
  )
  await api.run(
    `update due set next_at = facteur_now() + interval '1 day' where lane = 'transactional'`,
  )
  assert.equal(await measure('facteur_recipients{lane="transactional",state="in_doubt"}'), 1)
  await api.run(`insert into due values (999, 'campaign', facteur_now() - interval '90 seconds')`)
  const lag = await measure('facteur_due_lag_seconds{lane="campaign"}')
  assert.ok(lag >= 90 && lag < 150, String(lag))
})

test('/metrics: the recipients of campaigns are counted by their state, those in doubt of a campaign that ended too', async () => {
  const still = await startApi({ workers: false, entry: operatorEntryPoints() })
  const shop = await still.workspace('campaigns')
  await addSubscribers(still, shop, 9)
  const id = await draftOf(still, shop)
  assert.equal((await send(still, shop, id)).status, 202)
  const counts = async (): Promise<string[]> =>
    (await get('/metrics', still.baseUrl)).text
      .split('\n')
      .filter((line) => line.startsWith('facteur_recipients{lane="campaign"'))
  const expected = (pending: number, leased: number, inDoubt: number): string[] => [
    `facteur_recipients{lane="campaign",state="pending"} ${pending}`,
    `facteur_recipients{lane="campaign",state="leased"} ${leased}`,
    `facteur_recipients{lane="campaign",state="in_doubt"} ${inDoubt}`,
  ]
  assert.deepEqual(await counts(), expected(9, 0, 0))
  const { db } = still.service
  const key = { workspaceId: shop.id, campaignId: id }
  await recordAndClaim(db, key, { sent: [], max: 4, leaseSeconds: 90 })
  assert.deepEqual(await counts(), expected(5, 4, 0))
  await still.moveClock('2 minutes')
  await releaseLostRecipients(db, key, 100)
  assert.deepEqual(await counts(), expected(5, 0, 4))
  await still.run(`update campaign_run set pending = 0; update campaign set status = 'sent'`)
  assert.deepEqual(await counts(), expected(0, 0, 4))
})

test('/readyz: 503 while the database is read only', async () => {
  const still = await startApi({ workers: false, entry: operatorEntryPoints() })
  await still.run(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  )
  await endConnections(still)
  const { status, text } = await get('/readyz', still.baseUrl)
  assert.deepEqual(
    [status, JSON.parse(text)],
    [503, { status: 'not_ready', reasons: [{ reason: 'read_only' }] }],
  )
  await still.run(
    `begin read write; do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$; commit`,
  )
  await endConnections(still)
  assert.equal((await get('/readyz', still.baseUrl)).status, 200)
})

/** As a failover does: the next ones read what the server is set to now. */
async function endConnections(still: Api): Promise<void> {
  await still.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await until(() => still.service.db.load().open === 0)
}

test('/metrics and the log: what has been open for more than a minute', async () => {
  const lines: unknown[] = []
  const hear = (fields: object, message: string): void => void lines.push({ ...fields, message })
  const still = await startApi({ workers: false, entry: operatorEntryPoints() })
  const oldest = async (kind: string): Promise<number> => {
    const { text } = await get('/metrics', still.baseUrl)
    return Number(
      new RegExp(`^facteur_database_oldest_seconds\\{kind="${kind}"\\} (\\S+)$`, 'm').exec(
        text,
      )?.[1] ?? 'absent',
    )
  }
  assert.deepEqual([await oldest('prepared'), await oldest('slot')], [0, 0])
  const client = new pg.Client({
    connectionString: still.database.url,
    application_name: 'forgotten',
  })
  await client.connect()
  await client.query('begin')
  await client.query('select 1')
  await still.moveClock('90 seconds')
  const open = await oldest('transaction')
  assert.ok(open >= 90 && open < 180, String(open))
  const watch = watchHorizon({
    ...still.service,
    log: { debug: hear, info: hear, warn: hear, error: hear },
  })
  await until(() => lines.length > 0)
  watch.stop()
  assert.equal(lines.length, 1)
  assert.equal(at(lines[0], 'kind'), 'transaction')
  assert.match(String(at(lines[0], 'holder')), /^forgotten process \d+$/)
  await client.query('commit')
  await client.end()
})

test('/metrics: bytes of each class of data, and no forecast before a day was measured', async () => {
  await until(
    () => measure('facteur_disk_bytes{class="bodies"}'),
    (bytes) => bytes > 0,
  )
  assert.ok((await measure('facteur_disk_bytes{class="other"}')) > 0)
  assert.ok(Number.isNaN(await measure('facteur_disk_growth_bytes')))
  await api.run(`insert into disk_usage (day, class, bytes, measured_at)
    select day - 2, class, bytes - 1000, measured_at - interval '2 days' from disk_usage where class = 'bodies'
    union all select day - 2, class, bytes, measured_at - interval '2 days' from disk_usage where class <> 'bodies'`)
  assert.equal(Math.round(await measure('facteur_disk_growth_bytes')), 500)
  const { text } = {
    text: await createMetrics(api.service, {
      freeBytes: () => 9_000,
      roomBytes: () => 1_000,
    }).text(),
  }
  const seconds = Number(/^facteur_disk_full_seconds (\S+)$/m.exec(text)?.[1])
  assert.ok(Math.abs(seconds - 2 * 86_400) < 60, String(seconds))
})

const metrics = createMetrics(api.service, { freeBytes: () => 12_345, roomBytes: () => 345 })
const counted = createService({ ...api.service, counts: metrics.counts })
after(() => counted.stop())

test('hand-offs of this process are counted by outcome', async () => {
  const row = {
    workspaceId: 1,
    messageId: '00000000-0000-7000-8000-000000000000',
    position: 0,
    fence: 9,
    attempt: 1,
  }
  const compose = () => ({ bytes: Buffer.from('x\r\n'), utf8: false })
  const event = await counted.sending.handOff({
    ...row,
    requestedAtMs: systemClock.monotonicMs(),
    recipient: 'a@b.test',
    returnPath: 'c@d.test',
    headers: '',
    fromDomain: 'demo.test',
    compose,
  })
  assert.equal(event, null)
  const text = await metrics.text()
  assert.match(text, /^facteur_hand_offs_total\{outcome="lost"\} 1$/m)
  assert.match(text, /^facteur_disk_free_bytes 12345$/m)
})

const host = ownAddress() ?? '127.0.0.1'
const alone = await serveHealth(api.service, { host, port: 0, metrics, operatorToken: null })
after(() => alone.close())

test('a port of its own: health and readiness for every caller, the JSON 404 for other paths', async () => {
  assert.equal((await get('/healthz', alone.address)).status, 200)
  assert.equal((await get('/readyz', alone.address)).status, 200)
  for (const path of ['/api/v1', '/captured', '/']) {
    const { status, text, headers } = await get(path, alone.address)
    assert.equal(status, 404)
    assert.equal(JSON.parse(text).name, 'not_found')
    assert.match(headers.get('x-request-id') ?? '', /^[\w-]{36}$/)
  }
})

test(
  'a port of its own: metrics are not for other machines',
  { skip: ownAddress() === null },
  async () => {
    const { status, text } = await get('/metrics', alone.address)
    assert.equal(status, 404)
    assert.equal(JSON.parse(text).name, 'not_found')
  },
)

for (const [table, read, gauges] of [
  [
    'disk_usage',
    'disk',
    ['facteur_disk_bytes', 'facteur_disk_growth_bytes', 'facteur_disk_full_seconds'],
  ],
  [
    'backup_state',
    'backup',
    ['facteur_backup_failed', 'facteur_backup_age_seconds', 'facteur_backup_bytes'],
  ],
  ['due', 'lanes', ['facteur_due_lag_seconds']],
] as const)
  test(`/metrics: without ${table} its gauges are absent, never 0, all others stay, and one says which read failed`, async () => {
    const namesIn = (text: string): string[] => [
      ...new Set([...text.matchAll(/^facteur_\w+/gm)].map(([name]) => name)),
    ]
    const failedIn = (text: string): string[] =>
      [...text.matchAll(/^facteur_metrics_read_failed\{read="(\w+)"\} 1$/gm)].map(
        ([, name = '']) => name,
      )
    await api.run(
      `insert into backup_state (tried_at, failed_at, error) values (facteur_now(), facteur_now(), 'no room') on conflict do nothing`,
    )
    const before = (await get('/metrics')).text
    await api.run(`alter table ${table} rename to gone`)
    const without = (await get('/metrics')).text
    await api.run(`alter table gone rename to ${table}`)
    const again = (await get('/metrics')).text
    assert.deepEqual([failedIn(before), failedIn(without), failedIn(again)], [[], [read], []])
    assert.deepEqual(
      namesIn(before).filter((name) => !namesIn(without).includes(name)),
      namesIn(before).filter((name) => (gauges as readonly string[]).includes(name)),
    )
    assert.deepEqual(namesIn(again), namesIn(before))
    for (const name of gauges) assert.ok(namesIn(before).includes(name), name)
  })

test('/metrics: when Postmaster Tools were read, and the newest spam rate of each domain at Gmail', async () => {
  const { id } = await api.workspace('Gmail')
  await api.run(`insert into postmaster_state (tried_at, read_at, domains) values (facteur_now(), facteur_now() - interval '90 seconds', 1);
    insert into postmaster_day (workspace_id, domain, day, spam_rate)
    select ${id}, 'acme.test', (facteur_now() at time zone 'utc')::date - n, 0.001 * n from generate_series(2, 8) n`)
  const { text } = await get('/metrics')
  assert.match(text, /^facteur_postmaster_age_seconds 9\d(\.\d+)?$/m)
  assert.match(text, /^facteur_postmaster_failed 0$/m)
  assert.match(text, /^facteur_gmail_spam_rate\{domain="acme\.test"\} 0\.002$/m)
  await api.run("update postmaster_state set failed_at = facteur_now(), error = 'away'")
  assert.match((await get('/metrics')).text, /^facteur_postmaster_failed 1$/m)
})

test('/metrics: a read that does not answer is given up, and keeps nothing else back', async () => {
  const late = Promise.withResolvers<void>()
  const clock = { ...systemClock, sleep: () => late.promise }
  const watched = createMetrics(
    { ...api.service, clock },
    { freeBytes: () => null, roomBytes: () => null },
  )
  const client = new pg.Client({ connectionString: api.database.url })
  await client.connect()
  await client.query('begin; lock table disk_usage')
  const answered = watched.text()
  await untilWaits(api.database.url, 'disk_usage')
  late.resolve()
  const text = await answered
  await client.query('commit')
  await client.end()
  assert.match(text, /^facteur_metrics_read_failed\{read="disk"\} 1$/m)
  assert.match(text, /^process_resident_memory_bytes /m)
  assert.doesNotMatch(text, /^facteur_disk_(?!free)/m)
})

test("/readyz: 503 when the database is away; /healthz still 200; /metrics still has the process's figures", async () => {
  await api.run(`alter table schema_migration rename to schema_migration_gone`)
  await api.run(`alter table due rename to due_gone`)
  const [ready, health, measured] = [
    await get('/readyz'),
    await get('/healthz'),
    await get('/metrics'),
  ]
  await api.run(`alter table schema_migration_gone rename to schema_migration`)
  await api.run(`alter table due_gone rename to due`)
  assert.equal(ready.status, 503)
  assert.equal(health.status, 200)
  assert.match(measured.text, /^process_resident_memory_bytes /m)
  assert.doesNotMatch(
    measured.text,
    /^facteur_due_lag_seconds\{/m,
    'no old number outlives an outage',
  )
  assert.ok(warned.includes('Metrics were not read'))
})
