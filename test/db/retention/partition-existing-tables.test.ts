/**
 * An installation of the version before becomes partitioned while its processes go on
 * (migrations/0051_partitions.sql): the former table is the first partition, with every row, and
 * the statements of that version work throughout.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { retrying } from '../../../src/database/client/retrying.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { migrationsFolder } from '../../../src/database/schema/migration-files.ts'
import { makeIds } from '../../../src/ground/ids.ts'
import { emptyDatabase, runOn } from '../../support/database.ts'

/** Last file of the version whose tables were whole. */
const lastBefore = '0050'

function folderBefore(t: TestContext): string {
  const before = mkdtempSync(join(tmpdir(), 'facteur-migrations-'))
  t.after(() => rmSync(before, { recursive: true }))
  for (const name of readdirSync(migrationsFolder))
    if (name.slice(0, 4) <= lastBefore) cpSync(join(migrationsFolder, name), join(before, name))
  return before
}

/** What later files add to these tables. */
const addedSince = new Set([
  'campaign_recipient: losses smallinttrue',
  'captured_mail: read_at timestamp with time zonefalse',
])

interface Caller {
  stop(): Promise<number>
}

/**
 * Admits, reads and changes a body again and again, by prepared statements, as a process of the
 * version before.
 */
async function callOn(url: string): Promise<Caller> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const makeId = makeIds(() => Date.now())
  const over = new AbortController()
  let calls = 0
  // A process repeats what a deadlock has ended, by the same rule.
  const run = (name: string, text: string, values: unknown[]) =>
    retrying(() => client.query({ name, text, values }))
  const calling = (async () => {
    while (!over.signal.aborted) {
      const id = makeId()
      await run(
        'admit',
        'insert into message_body (workspace_id, message_id, html, text) values (1, $1, null, $2)',
        [id, 'x'],
      )
      await run(
        'file',
        'insert into attachment (workspace_id, message_id, position, content) values (1, $1, 0, $2)',
        [id, 'x'],
      )
      const changed = await run(
        'change',
        'update message_body set text = $2 where workspace_id = 1 and message_id = $1',
        [id, 'y'],
      )
      const read = await run(
        'read',
        'select text from message_body where workspace_id = 1 and message_id = any ($1::uuid[])',
        [[id]],
      )
      assert.deepEqual([changed.rowCount, read.rows], [1, [{ text: 'y' }]])
      await run(
        'event',
        `insert into event (workspace_id, id, place, type, body, created_at)
        values (1, $1, nextval('event_order'), 'email.sent', '{}', facteur_now())`,
        [id],
      )
      const report = `insert into feedback (workspace_id, source, source_id, message_id, position, kind, received_at)
        values (1, 'dsn', $2, $1, 0, 'bounced', facteur_now()) on conflict do nothing`
      await run('report', report, [id, id])
      // The former trigger writes the failure.
      await run(
        'freeze',
        `insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email) values (1, $1, $1, 'a@b.test')`,
        [id],
      )
      await run(
        'bounce',
        `update campaign_recipient set status = 'bounced' where workspace_id = 1 and campaign_id = $1 and subscriber_id = $1`,
        [id],
      )
      await run(
        'open',
        `insert into engagement (workspace_id, id, message_id, recipient_position, kind, visitor, user_agent, at)
        values (1, $1, $1, 0, 'open', 'person', '', facteur_now())`,
        [id],
      )
      calls++
    }
    await client.end()
  })()
  return {
    async stop() {
      over.abort()
      await calling
      return calls
    },
  }
}

const fill = (rows: number, bytes: number) => `
  insert into message_body (workspace_id, message_id, text)
  select 1, (lpad(to_hex((extract(epoch from facteur_now() - n * interval '1 minute') * 1000)::bigint), 12, '0') || '7000'
    || lpad(to_hex(n), 16, '8'))::uuid, (select string_agg(md5((n * m)::text), '') from generate_series(1, ${bytes / 32}) m)
  from generate_series(1, ${rows}) n`

for (const { size, rows, bytes } of [
  { size: 'small', rows: 1_000, bytes: 320 },
  { size: 'large', rows: 20_000, bytes: 3_200 },
])
  test(`a ${size} table of the version before becomes the first partition, while calls go on`, async (t) => {
    const url = await emptyDatabase(t)
    await migrate(url, { folder: folderBefore(t), completesStatistics: false })
    await runOn(url, fill(rows, bytes))
    const reader = `reader_${size}_${process.pid}`
    await runOn(url, `create role ${reader}; grant select on message_body to ${reader}`)
    const describedBefore = await describe(url)
    const callers = [await callOn(url), await callOn(url)]
    const logged: string[] = []
    const file = async () =>
      (
        await runOn(
          url,
          `select min(pg_relation_filenode(relid)) as file from pg_partition_tree('message_body') where level = 1 and relid::text like '%_to_%'`,
        )
      ).rows[0]?.['file']
    const before = (await runOn(url, `select pg_relation_filenode('message_body') as file`))
      .rows[0]?.['file']
    await migrate(url, { progress: (text) => logged.push(text) })
    // Not a row was copied: it is the same file.
    assert.equal(await file(), before)
    const calls = (await Promise.all(callers.map((caller) => caller.stop()))).reduce(
      (sum, count) => sum + count,
    )
    const { rows: result } = await runOn(
      url,
      `select (select count(*)::int from message_body) as bodies, (select count(*)::int from attachment) as files,
        (select count(*)::int from event) as events, (select count(*)::int from feedback) as reports,
        (select count(*)::int from campaign_failure) as failures, (select count(*)::int from engagement) as opens`,
    )
    assert.deepEqual(result, [
      {
        bodies: rows + calls,
        files: calls,
        events: calls,
        reports: calls,
        failures: calls,
        opens: calls,
      },
    ])
    assert.deepEqual(
      logged,
      size === 'large'
        ? [logged.find((text) => /^message_body \(\d+ MB\) is read through/.test(text))]
        : [],
    )
    // Views, triggers and keys are the former ones, and so are rights.
    assert.deepEqual(
      (await describe(url)).filter(({ name, what }) => !addedSince.has(`${name}: ${what}`)),
      describedBefore,
    )
    const { rows: rights } = await runOn(
      url,
      `select has_table_privilege('${reader}', 'message_body', 'select') as may`,
    )
    await runOn(url, `drop owned by ${reader}; drop role ${reader}`)
    assert.deepEqual(rights, [{ may: true }])
    assert.deepEqual(await migrate(url), [])
  })

/**
 * What statements meet: columns, indexes and triggers of the tables by their names, and the columns
 * of the view that stays (0107 drops the others, and a trigger; 0151 counts more in it).
 */
async function describe(url: string): Promise<{ name: string; what: string }[]> {
  const { rows } = await runOn(
    url,
    `select c.relname as name, 'column' as kind, a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull as what
       from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attnum > 0 and not a.attisdropped and ${known}
     union all
     select c.relname, 'index', regexp_replace(pg_get_indexdef(i.indexrelid), ' ONLY ', ' ') from pg_index i join pg_class c on c.oid = i.indrelid where ${known}
     union all
     select c.relname, 'trigger', pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid where not tgisinternal and tgname <> 'campaign_recipient_cause' and ${known}
     union all
     select c.relname, 'view', string_agg(a.attname, ', ' order by a.attnum)
       from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relname = 'campaign_engagement_count'
       group by c.relname
     order by 1, 2, 3`,
  )
  return rows
}

/**
 * Reports and notices got their time into the key, and events lost a unique index: PostgreSQL has
 * none over all partitions without it.
 */
const known = `c.relname in ('message_body', 'attachment', 'captured_mail', 'webhook_delivery', 'engagement', 'deferral',
  'campaign_failure', 'campaign_recipient', 'audit_log')`
