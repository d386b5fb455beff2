/**
 * The migration runner: each file once, whole or not at all unless it says otherwise, however many
 * processes start together.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { migrationsFolder } from '../../../src/database/schema/migration-files.ts'
import { emptyDatabase, freshDatabase, runOn } from '../../support/database.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const { url } = await freshDatabase()
await runOn(url, 'drop schema public cascade; create schema public')
const folder = makeTemporaryFolder('migrations')
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

test('several processes at once: each file is applied once', async () => {
  write('0001_one.sql', 'create table one (n int); insert into one values (1);')
  write('0002_two.sql', 'create table two (n int);')
  write('README.md', 'not a migration')
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, { folder })))
  assert.deepEqual(applied.flat(), ['0001_one.sql', '0002_two.sql'])
  assert.equal((await runOn(url, 'select from one')).rowCount, 1)
  assert.deepEqual(await migrate(url, { folder }), [])
})

test('a file that fails leaves nothing of itself', async () => {
  write('0003_three.sql', 'create table three (n int); select 1 / 0;')
  await assert.rejects(migrate(url, { folder }), /0003_three.sql failed: division by zero/)
  assert.equal((await runOn(url, "select to_regclass('three') as name")).rows[0].name, null)
  write('0003_three.sql', 'create table three (n int);')
  assert.deepEqual(await migrate(url, { folder }), ['0003_three.sql'])
})

const outside = (text: string): string => `-- outside a transaction\n${text}`

test('outside a transaction: statement by statement, and once, by processes that start together', async () => {
  write('0004_four.sql', 'create table four (n int); insert into four values (1);')
  const file = `
-- Its first; not its last;
create index concurrently if not exists four_n on four (n);
do $$ begin
  insert into four values (2);
  commit;
end $$;`
  write('0005_five.sql', outside(file))
  const applied = await Promise.all([
    migrate(url, { folder }),
    migrate(url, { folder }),
    migrate(url, { folder }),
  ])
  assert.deepEqual(applied.flat(), ['0004_four.sql', '0005_five.sql'])
  assert.equal((await runOn(url, 'select from four')).rowCount, 2)
})

test('outside a transaction, a file that failed half-way: what is done stays, and an index that is of no use is made again', async () => {
  write('0006_six.sql', 'create table six (n int); insert into six values (1), (1);')
  write(
    '0007_seven.sql',
    outside(`
create index concurrently if not exists six_n on six (n);
create unique index concurrently if not exists six_unique on six (n);`),
  )
  await assert.rejects(
    migrate(url, { folder }),
    /0007_seven.sql failed: could not create unique index/,
  )
  const valid = async () =>
    (
      await runOn(
        url,
        "select indisvalid from pg_index where indrelid = 'six'::regclass order by indexrelid::regclass::text",
      )
    ).rows
  assert.deepEqual(await valid(), [{ indisvalid: true }, { indisvalid: false }])
  await runOn(url, 'delete from six')
  assert.deepEqual(await migrate(url, { folder }), ['0007_seven.sql'])
  assert.deepEqual(await valid(), [{ indisvalid: true }, { indisvalid: true }])
})

test('an applied file that changed, and one that we do not know: refused', async () => {
  write('0003_three.sql', 'create table three (n bigint);')
  await assert.rejects(migrate(url, { folder }), /0003_three.sql has changed/)
  await assert.rejects(
    migrate(url, { folder: makeTemporaryFolder('migrations') }),
    /newer version of Facteur \(it has 0001_one.sql\)/,
  )
})

/**
 * Installations have these: a change of one locks them out. The next change is a new file, and a
 * new line here once it is released.
 */
const released = {
  '0001_ground.sql': 'ccca68daff97cd890b8113d3abeb983f2546ccc7c5920f182f773fcf208d29ec',
  '0002_what_the_planner_knows.sql':
    'dfcf2473bf89d18f53ce78e77d39194f4e1091c53077a58753dd60c89d66330a',
  '0003_audience.sql': '47dd786b62dacafadc69ff90f95fc8a3cbe386dd64c4365c1c8f861d66e41e4f',
  '0004_campaigns.sql': 'b36534192be0ebdc15b5780447b81fb17293f61ecb3c464d33b5c1cf67ba336a',
  '0005_sign_up_forms.sql': 'c2baadea1f4060c9cac7f5e84a5e3d9226b5ebf85dc852867edaf03338aa3fd7',
  '0006_tracking.sql': '6c3f6ee37dc1bdb0aae5148bac6473c92e0931c55d067e171f4ca637ccad0920',
  '0007_bulk.sql': '15adc12e544a89f6a5d7ba9a801a901fe2fdd1e80e572fe00d43ff9a3adb334d',
  '0008_accepting.sql': '761897c3820661903721305928fb002678c4f1a3d54130ab40bf21305cdd275c',
  '0009_what_the_planner_knows_now.sql':
    '8a6fdf7b08124d7ba60df301bb6691ae06f8b536e5619ffe4e057f51ea98155d',
  '0010_feedback.sql': 'aecedb8d1972cee181dbc3a1d4f16295c0409a4b56ffb8735e4f608e5fc0bc4e',
  '0011_inbound.sql': '5a96b0369d9480a86577094526e729462070bb9d3f19d0e32bfd5f4eadae784f',
  '0012_domains.sql': '529ff9c1f76931cb31e48b9ac4569ef038bdbfee50278c23a54b9c77a1cdf3c9',
  '0013_delivery.sql': 'e62df6c74becd35706a26991c99f49a40442c37ed297dedc8b05750074e8cf57',
  '0014_providers.sql': '45de8015eb473905b730e0076b052e81ee9c4e26b1a4fe4c9d7be934c6a73ba6',
  '0015_webhooks.sql': '1f572a3e58ccbde86fc924057a5474846576922db3d8bc8598286c54eca2a71f',
  '0016_people.sql': '45fe0eae86238ad8f1319839b2cac43812db71cd748b135a50ac08b0aa1abf14',
  '0017_settings.sql': '79fcc87d5b89e543046c8779d56e3a044d25100f860502bbeabeba2385427562',
  '0018_messages.sql': '29189185b4901c5269deeb19321872952545806e6af7a0d0dfcb4875e7926682',
  '0019_subscribers.sql': '3e747aac472b45120d523ef90e5072b227a3c9ff0b780b80971b17ec6193a6da',
  '0020_drafts.sql': '81479e54bac223069463cd9690a5c770e097ecf26c95cf0855a1a1dc0fad0bfa',
  '0021_indexes_of_large_tables.sql':
    '61f6b327582b1e9bcb0580965cba8aeffe17c12a8676b8351257ab66c9f292ab',
  '0022_webhooks.sql': '399055521a038af6705611be748e03385428ce0951142f5dcd7f2b585edc638d',
  '0023_overview.sql': 'f5202ef6eb1ff31b05ec0319fc9bf5115d07adf72372f6ddcd46e20ae6d85277',
  '0024_what_the_planner_knows_again.sql':
    '307759d16e241c976e8e9e816388430b154f28ab5df7fdaeca95cd0c70491f6b',
}

test('a released file never changes', () => {
  for (const [name, digest] of Object.entries(released)) {
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(migrationsFolder, name)))
        .digest('hex'),
      digest,
      name,
    )
  }
})

/**
 * Tables that may be large at an upgrade, or that each call writes: their writers would wait for an
 * index.
 */
const busy = new Set([
  ...[
    'recipient',
    'message',
    'campaign_recipient',
    'engagement',
    'webhook_delivery',
    'event',
    'subscriber',
    'subscriber_search',
  ],
  ...['campaign', 'quota_usage'],
])

test('no file from now on has the writers of a busy table wait for an index', () => {
  const locking = readdirSync(migrationsFolder)
    .filter((name) => !(name in released) && name.endsWith('.sql'))
    .flatMap((name) =>
      [
        ...readFileSync(join(migrationsFolder, name), 'utf8').matchAll(
          /create (?:unique )?index (?!concurrently)\w+ on (\w+)/g,
        ),
      ]
        .filter((match) => busy.has(match[1] ?? ''))
        .map(([result]) => `${name}: ${result}`),
    )
  assert.deepEqual(locking, [])
})

/** The migrations up to a file, as an earlier version had them. */
function migrationsUpTo(last: string): string {
  const former = makeTemporaryFolder('migrations')
  for (const name of readdirSync(migrationsFolder)) {
    if (name.endsWith('.sql') && name <= last)
      cpSync(join(migrationsFolder, name), join(former, name))
  }
  return former
}

test('failures of campaigns from before an upgrade are listed after it, and a second run changes nothing', async (t) => {
  const lived = await emptyDatabase(t)
  await migrate(lived, { folder: migrationsUpTo('0020_~') })
  await runOn(
    lived,
    `insert into plan (name) values ('free');
    insert into workspace (id, slug, name, plan, created_at) overriding system value values (7, 'shop', 'Shop', 'free', facteur_now());
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
    select 7, gen_random_uuid(), '', '', 'text', '{}', 'sent', facteur_now(), facteur_now() from generate_series(1, 2);
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status)
    select 7, id, gen_random_uuid(), '', 'settled', became from campaign cross join unnest(array['delivered', 'bounced', 'failed']) became`,
  )
  const name = '0021_indexes_of_large_tables.sql'
  for (const _ of ['first', 'again']) {
    await runOn(lived, `delete from schema_migration where name = '${name}'`)
    assert.deepEqual(await migrate(lived, { folder: migrationsUpTo(name) }), [name])
    const { rows } = await runOn(
      lived,
      'select status, count(*)::int as n from campaign_mishap group by 1 order by 1',
    )
    assert.deepEqual(rows, [
      { status: 'bounced', n: 2 },
      { status: 'failed', n: 2 },
    ])
  }
})

/** A database as an earlier version left it, with its names and a workspace. */
const former = await emptyDatabase({ after })

/** A campaign of two recipients who opened and clicked; the first has bounced since. */
async function withBounced(): Promise<string> {
  const lived = former
  await migrate(lived, { folder: migrationsUpTo('0033_~') })
  await runOn(
    lived,
    `truncate campaign, campaign_recipient, visit, campaign_tally;
    insert into plan (name) values ('free') on conflict do nothing;
    insert into workspace (id, slug, name, plan, created_at) overriding system value values (7, 'shop', 'Shop', 'free', facteur_now())
    on conflict do nothing;
    insert into campaign (workspace_id, id, name, subject, format, source, status, sent_at, created_at, updated_at)
    select 7, gen_random_uuid(), '', '', 'text', '{}', 'sent', facteur_now(), facteur_now(), facteur_now();
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, opened_at, clicked_at)
    select 7, id, gen_random_uuid(), '', 'settled', 'delivered', facteur_now(), facteur_now() from campaign cross join generate_series(1, 2);
    update campaign_recipient set status = 'bounced' where subscriber_id = (select min(subscriber_id::text)::uuid from campaign_recipient);
    insert into visit (workspace_id, id, campaign_id, subscriber_id, kind, link_position, visitor, device, os, client, user_agent, at)
    select 7, gen_random_uuid(), campaign_id, subscriber_id, 'click', 0, 'person', 'Desktop', 'Linux', 'Chrome', '', facteur_now()
    from campaign_recipient;
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select workspace_id, campaign_id, measure, label, count(*) from campaign_visit_count group by 1, 2, 3, 4`,
  )
  return lived
}

const file0033 = readFileSync(join(migrationsFolder, '0033_engagement_of_the_bounced.sql'), 'utf8')

test('0033: opens and clicks of bounced recipients are taken back, those of others stay, and a second run changes nothing', async () => {
  const lived = await withBounced()
  for (const time of ['once', 'again']) {
    await runOn(lived, file0033)
    const counts = await runOn(lived, 'select distinct count::int from campaign_tally')
    assert.deepEqual(counts.rows, [{ count: 1 }], time)
    const rows = await runOn(
      lived,
      'select status from campaign_recipient where opened_at is not null and clicked_at is not null',
    )
    assert.deepEqual(rows.rows, [{ status: 'delivered' }], time)
  }
})

test('0033: it waits for the holder of a recipient while it holds no tally, so that neither waits for the other in a circle', async () => {
  const lived = await withBounced()
  await inSession(lived, async (live) => {
    await live.query("begin; select from campaign_recipient where status = 'bounced' for update")
    const migrated = runOn(lived, file0033)
    await untilSomeoneWaits(lived)
    await live.query('update campaign_tally set count = count + 1; commit')
    await migrated
  })
  assert.deepEqual((await runOn(lived, 'select distinct count::int from campaign_tally')).rows, [
    { count: 2 },
  ])
})

test('0033: a recipient who bounces meanwhile has opens and counts, or loses both', async () => {
  const lived = await withBounced()
  await inSession(lived, async (live) => {
    await live.query('begin; select from campaign_tally for update')
    const migrated = runOn(lived, file0033)
    await untilSomeoneWaits(lived)
    // The previous version bounces so: the opens stay.
    await runOn(
      lived,
      "update campaign_recipient set status = 'bounced' where status = 'delivered'",
    )
    await live.query('commit')
    await migrated
  })
  const opened = await runOn(
    lived,
    'select count(*)::int as count from campaign_recipient where opened_at is not null',
  )
  const counted = await runOn(
    lived,
    "select count::int from campaign_tally where measure = 'opened'",
  )
  assert.deepEqual(counted.rows, opened.rows)
})

/** The texts that the versions before 0043 wrote, and the causes that they stand for. */
const causes = {
  cancelled: 'cancelled',
  erased: 'erased',
  'suppressed: complaint': 'suppressed',
  'parked: its hand-off ended its worker three times': 'parked',
  'gave up after the last temporary refusal: 451 later': 'spent',
  'in doubt: handed over without an answer, and no delivery report arrived since': 'doubt_ended',
  '550 5.1.1 no such user': 'refused',
}

test('0044: recipients in both ledgers that failed before get the causes of their texts', async () => {
  const lived = await withBounced()
  await migrate(lived, { folder: migrationsUpTo('0043_~') })
  const texts = Object.keys(causes)
    .map((text) => `'${text}'`)
    .join(', ')
  await runOn(
    lived,
    `insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, error)
    select 7, gen_random_uuid(), 1, 'to', 'a@example.com', 'a@example.com', 'failed', 'settled', 'transactional', facteur_now(), text
    from unnest(array[${texts}]) text;
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, error)
    select 7, id, gen_random_uuid(), '', 'settled', 'failed', text from campaign cross join unnest(array[${texts}]) text`,
  )
  await migrate(lived, { folder: migrationsUpTo('0044_~') })
  for (const ledger of ['recipient', 'campaign_recipient']) {
    const { rows } = await runOn(
      lived,
      `select error, cause from ${ledger} where error is not null`,
    )
    assert.deepEqual(Object.fromEntries(rows.map(({ error, cause }) => [error, cause])), causes)
  }
})

async function inSession(at: string, work: (live: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(at)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function untilSomeoneWaits(at: string): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  await until(
    () => runOn(at, waiting),
    ({ rowCount }) => rowCount !== 0,
  )
}
