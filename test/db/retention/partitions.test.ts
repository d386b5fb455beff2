/**
 * Partitions by time (docs/decisions/0048): made ahead, dropped when their rows have expired, while
 * mail is accepted; and the default partition takes what comes meanwhile.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { makeIds } from '../../../src/ground/ids.ts'
import { changePartitions } from '../../../src/database/partitions/change-partitions.ts'
import { expireRows, isOffPeak } from '../../../src/db/retention/expire-rows.ts'
import { maintainPartitions } from '../../../src/db/retention/maintain-partitions.ts'
import { endOfPeriod } from '../../../src/database/partitions/partition-periods.ts'
import { partitionedTables } from '../../../src/database/schema/partitioned-tables.ts'
import { partitionUpkeep } from '../../../src/database/partitions/partition-upkeep.ts'
import { makePartition } from '../../../src/database/partitions/partitions.ts'
import {
  setInstallationRetention,
  setWorkspaceRetention,
} from '../../../src/db/retention/retention-limits.ts'
import {
  freshDatabase,
  moveClock,
  runOn,
  stopClock,
  untilWaits,
  type TestDatabase,
} from '../../support/database.ts'
import { until } from '../../support/until.ts'

// The night is that of the process.
process.env['TZ'] = 'UTC'

const dayMs = 86_400_000
const days = (count: number): string => `${count} days`

/** Rethrows what the product would log. */
const log = {
  error(context: { err?: unknown }): void {
    throw context.err
  },
}

/** An identifier of a time so many days from now. */
const idIn = (dayCount: number): string => makeIds(() => Date.now() + dayCount * dayMs)()

async function insertMail(
  { url }: TestDatabase,
  id: string,
  { state = 'settled', at = 'facteur_now()', workspaceId = 1 } = {},
): Promise<void> {
  await runOn(
    url,
    `insert into message (workspace_id, id, head, subject, message_id, created_at) values (${workspaceId}, '${id}', '{}', 'Hello', '${id}', ${at});
     insert into message_body (workspace_id, message_id, html, text) values (${workspaceId}, '${id}', null, 'Hello');
     insert into attachment (workspace_id, message_id, position, content) values (${workspaceId}, '${id}', 0, 'x');
     insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, settled_at)
     values (${workspaceId}, '${id}', 0, 'to', 'a@b.test', 'a@b.test', 'sent', '${state}', 'transactional', ${at}, ${at})`,
  )
}

const rowsOf = async ({ url }: TestDatabase, statement: string): Promise<unknown[]> =>
  (await runOn(url, `select * from (${statement}) found order by 1`)).rows.map(
    (row: object) => Object.values(row)[0],
  )

const bodies = (database: TestDatabase) => rowsOf(database, 'select message_id from message_body')
const partOf = (database: TestDatabase, id: string) =>
  rowsOf(database, `select tableoid::regclass::text from message_body where message_id = '${id}'`)

test('bodies expire with their partition, and the line of the message stays', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const id = idIn(0)
  await insertMail(database, id)
  await moveClock(url, days(29))
  await maintainPartitions({ db, log })
  assert.deepEqual(await bodies(database), [id])
  await moveClock(url, days(34))
  await maintainPartitions({ db, log })
  assert.deepEqual(await bodies(database), [])
  assert.deepEqual(await rowsOf(database, 'select message_id from attachment'), [])
  assert.deepEqual(await rowsOf(database, 'select id from message'), [id])
  assert.deepEqual(
    await rowsOf(
      database,
      `select relname from pg_class where relname like 'message_body_to%' and relkind = 'r'`,
    ),
    [],
  )
  const upkeep = (await partitionUpkeep(db)).find(({ table }) => table === 'message_body')
  assert.ok(upkeep && upkeep.dropped >= 1 && upkeep.made > 3 && upkeep.succeededAt)
})

test('a message that is not finished keeps its body, or was finished lately keeps its body, and the others of its partition go', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now())
  const [waiting, finishedLately] = [ids(), ids()]
  await insertMail(database, waiting, { state: 'pending' })
  await insertMail(database, finishedLately, { at: "facteur_now() + interval '20 days'" })
  for (let count = 0; count < 3; count++) await insertMail(database, ids())
  await moveClock(url, days(34))
  await maintainPartitions({ db, log })
  assert.deepEqual(await bodies(database), [waiting, finishedLately])
  await moveClock(url, days(51))
  await maintainPartitions({ db, log })
  assert.deepEqual(await bodies(database), [waiting])
  await runOn(url, `update recipient set state = 'settled' where message_id = '${waiting}'`)
  await maintainPartitions({ db, log })
  assert.deepEqual(await bodies(database), [])
})

test('a campaign that is older than the limit and not over keeps its recipients; so does one that was over lately', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const id = idIn(-500)
  await runOn(
    url,
    `insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
     values (1, '${id}', '', '', 'text', '{}', 'sending', facteur_now(), facteur_now());
     insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending) values (1, '${id}', '${id}', facteur_now(), 1, 1);
     insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, status) values (1, '${id}', '${id}', 'a@b.test', 'queued');
     insert into deferral (workspace_id, mail_id, part, attempt, at) values (1, '${id}', '${id}', 1, facteur_now())`,
  )
  const left = async () => [
    ...(await rowsOf(database, 'select campaign_id from campaign_recipient')),
    ...(await rowsOf(database, 'select mail_id from deferral')),
  ]
  await moveClock(url, days(500))
  await maintainPartitions({ db, log })
  assert.deepEqual(await left(), [id, id])
  await runOn(url, `update campaign set status = 'sent', completed_at = facteur_now()`)
  await moveClock(url, days(800))
  await maintainPartitions({ db, log })
  assert.deepEqual(await left(), [id, id])
  await moveClock(url, days(930))
  await maintainPartitions({ db, log })
  assert.deepEqual(await left(), [])
  assert.deepEqual(await rowsOf(database, 'select id from campaign'), [id])
})

test('a forgotten campaign keeps its own recipients, and those of other campaigns of its time go', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now() - 500 * dayMs)
  const [forgotten, over, other] = [ids(), ids(), ids()]
  for (const [workspaceId, id, status] of [
    [1, forgotten, 'sending'],
    [1, over, 'sent'],
    [2, other, 'sent'],
  ] as const)
    await runOn(
      url,
      `insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at, completed_at)
       values (${workspaceId}, '${id}', '', '', 'text', '{}', '${status}', facteur_now(), facteur_now(), ${status === 'sent' ? 'facteur_now()' : 'null'});
       insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending) values (${workspaceId}, '${id}', '${id}', facteur_now(), 2, 2);
       insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, status)
       select ${workspaceId}, '${id}', gen_random_uuid(), 'a@b.test', 'queued' from generate_series(1, 2);
       insert into deferral (workspace_id, mail_id, part, attempt, at) values (${workspaceId}, '${id}', '${id}', 1, facteur_now())`,
    )
  await moveClock(url, days(500))
  await maintainPartitions({ db, log })
  assert.deepEqual(await rowsOf(database, 'select campaign_id from campaign_recipient'), [
    forgotten,
    forgotten,
  ])
  assert.deepEqual(await rowsOf(database, 'select mail_id from deferral'), [forgotten])
  const file = () =>
    rowsOf(
      database,
      `select min(oid)::text from pg_class where relname ~ '^campaign_recipient_to_[0-9]{8}$'`,
    )
  const before = await file()
  await maintainPartitions({ db, log })
  assert.deepEqual(await file(), before, 'nothing is left to be compacted')
})

test('a partition that a long transaction has in use waits, and later ones are dropped', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const [first, second] = [idIn(0), idIn(4)]
  await insertMail(database, first)
  await insertMail(database, second)
  await moveClock(url, days(45))
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  await reader.query('begin')
  const inUse = String((await partOf(database, first))[0])
  await reader.query(`select from ${inUse}`)
  await until(
    () =>
      runOn(
        url,
        `select from pg_stat_activity where xact_start < clock_timestamp() - interval '1 second' and query like '%${inUse}%'`,
      ),
    ({ rowCount }) => rowCount !== 0,
  )
  const errors = async () =>
    (await partitionUpkeep(db)).flatMap(({ table, error }) =>
      error === null ? [] : [`${table}: ${error}`],
    )
  const inUseError = new RegExp(
    `^message_body: A transaction \\(pid \\d+, open for \\d+ s\\) has .*${inUse} in use$`,
  )
  // PostgreSQL's own upkeep may have another one of the tables for a moment: that is an error of
  // its own, until the next round.
  await until(
    async () => {
      await maintainPartitions({ db, log })
      return String(await errors())
    },
    (output) => inUseError.test(output),
  )
  assert.deepEqual(await bodies(database), [first])
  await reader.end()
  await maintainPartitions({ db, log })
  assert.deepEqual([await bodies(database), await errors()], [[], []])
})

test('a default partition with many rows of now keeps them, also a large one; partitions begin an hour from now', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  await moveClock(url, days(20))
  const fill = (rows: number, bytes: number, from: number) =>
    runOn(
      url,
      `insert into message_body (workspace_id, message_id, text) select 1, (substr(facteur_events_from(facteur_now())::text, 1, 14)
         || '7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, (select string_agg(md5((n * m)::text), '') from generate_series(1, ${bytes / 32}) m)
       from generate_series(${from}, ${from + rows - 1}) n`,
    )
  const inDefault = () => rowsOf(database, 'select count(*)::int from message_body_default')
  await fill(2_001, 32, 1)
  await maintainPartitions({ db, log })
  assert.deepEqual(await inDefault(), [2_001])
  const soon = idIn(20 + 3 / 24)
  await insertMail(database, soon)
  assert.match(String(await partOf(database, soon)), /^message_body_\d{8}_\d{8}$/)
  // Its partitions are proven to be of other times before they are attached.
  await fill(7_000, 1_600, 10_000)
  await moveClock(url, days(24))
  await maintainPartitions({ db, log })
  const next = idIn(30)
  await insertMail(database, next)
  assert.match(String(await partOf(database, next)), /^message_body_\d{8}_\d{8}$/)
  assert.deepEqual(
    await rowsOf(database, `select conname from pg_constraint where conname like '%proof'`),
    [],
  )
  assert.deepEqual(await inDefault(), [9_001])
  await stopClock(url, `${new Date(Date.now() + 60 * dayMs).toISOString().slice(0, 10)}T02:00:00Z`)
  await expireRows(
    { db, log },
    { pause: () => Promise.resolve(), stopping: new AbortController().signal },
  )
  assert.deepEqual(await inDefault(), [0])
})

test('a mail goes through all classes as time passes: what is left of it each time', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now())
  const id = ids()
  await insertMail(database, id)
  await runOn(
    url,
    `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at) values (1, '${ids()}', '${id}', 0, '', '', 'x', facteur_now());
     insert into engagement (workspace_id, id, message_id, recipient_position, kind, visitor, user_agent, at) values (1, '${ids()}', '${id}', 0, 'open', 'person', '', facteur_now());
     insert into feedback (workspace_id, source, source_id, message_id, position, kind, received_at) values (1, 'dsn', '1', '${id}', 0, 'delivered', facteur_now());
     insert into raw_notice (workspace_id, source, id, bytes, size, received_at) values (1, 'dsn', '1', 'x', 1, facteur_now());
     insert into deferral (workspace_id, mail_id, part, attempt, at) values (1, '${id}', '0', 1, facteur_now());
     insert into event (workspace_id, id, place, type, body, created_at) values (1, '${id}', 1, 'email.sent', '{}', facteur_now());
     insert into webhook_delivery (workspace_id, webhook_id, event_id, type, created_at) values (1, '${id}', '${id}', 'email.sent', facteur_now());
     insert into plan values ('default', null);
     insert into workspace (id, slug, name, plan, created_at) values (1, 'shop', 'shop', 'default', facteur_now());
     insert into audit_log (workspace_id, id, who, act, subject, created_at) values (1, '${ids()}', '', '', '', facteur_now())`,
  )
  const all = Object.keys(partitionedTables).filter(
    (table) =>
      !/^(campaign_|complaint_|dmarc_|domain_|request_log|message_search|reported_)/.test(table),
  )
  const left = async (): Promise<string[]> => {
    const withheld = `select name from (${all.map((table) => `select '${table}' as name where exists (select from ${table})`).join(' union all ')}) held`
    return (await rowsOf(database, withheld)).map(String)
  }
  const without = (...gone: string[]) => all.filter((table) => !gone.includes(table)).toSorted()
  const short = [
    'message_body',
    'attachment',
    'captured_mail',
    'raw_notice',
    'event',
    'webhook_delivery',
  ]
  const details = ['engagement', 'feedback', 'deferral']
  for (const [age, gone] of [
    [6, []],
    [29, ['captured_mail']],
    [34, short],
    [430, [...short, ...details]],
    [765, [...short, ...details, 'audit_log']],
  ] as const) {
    await moveClock(url, days(age))
    await maintainPartitions({ db, log })
    assert.deepEqual(await left(), without(...gone), `after ${age} days`)
  }
})

test('a default partition takes rows when nothing made partitions, and they move into theirs', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const [past, now] = [idIn(20), idIn(25)]
  await insertMail(database, past)
  await insertMail(database, now)
  assert.deepEqual(await partOf(database, past), ['message_body_default'])
  await moveClock(url, days(25))
  await maintainPartitions({ db, log })
  for (const id of [past, now])
    assert.match(String(await partOf(database, id)), /^message_body_\d{8}_\d{8}$/)
  const upkeep = (await partitionUpkeep(db)).find(({ table }) => table === 'message_body')
  assert.deepEqual(
    { moved: upkeep?.moved, defaultRows: upkeep?.defaultRows },
    { moved: 2, defaultRows: 0 },
  )
})

test('a partition that cannot be made now is made by the next round, before later ones', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const now = idIn(25)
  await insertMail(database, now)
  await moveClock(url, days(25))
  const writer = new pg.Client({ connectionString: url })
  await writer.connect()
  await writer.query('begin; lock table only message_body in row exclusive mode')
  await maintainPartitions({ db, log })
  assert.deepEqual(await partOf(database, now), ['message_body_default'])
  await writer.end()
  await until(
    async () => {
      await maintainPartitions({ db, log })
      return partOf(database, now)
    },
    ([part]) => part !== 'message_body_default',
  )
  assert.match(String(await partOf(database, now)), /^message_body_\d{8}_\d{8}$/)
})

test('what was detached and not dropped is dropped by the next round', async (t) => {
  const database = await freshDatabase(t)
  await runOn(
    database.url,
    'alter table message_body detach partition ' +
      String(
        (
          await rowsOf(
            database,
            `select relname from pg_class where relname ~ '^message_body_to_[0-9]{8}$'`,
          )
        )[0],
      ),
  )
  await maintainPartitions({ db: database.connection, log })
  assert.deepEqual(
    await rowsOf(
      database,
      `select relname from pg_class where relname ~ '^message_body_to_[0-9]{8}$'`,
    ),
    [],
  )
})

test('a workspace with a shorter limit: its rows go in batches at night, and those of others stay', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now())
  const [own, other, waiting] = [ids(), ids(), ids()]
  await insertMail(database, own)
  await insertMail(database, waiting, { state: 'pending' })
  await insertMail(database, other, { workspaceId: 2 })
  await setWorkspaceRetention(db, 1, 'bodies', 7)
  const expire = () =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    )
  const eightDaysOn = new Date(Date.now() + 8 * dayMs).toISOString().slice(0, 10)
  await stopClock(url, `${eightDaysOn}T12:00:00Z`)
  await expire()
  assert.deepEqual(await bodies(database), [own, other, waiting])
  await stopClock(url, `${eightDaysOn}T02:00:00Z`)
  await expire()
  assert.deepEqual(await bodies(database), [other, waiting])
})

test('a part that fails leaves the others to be done; a full batch is followed by a pause, in which it may be asked to stop', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const id = idIn(0)
  await insertMail(database, id)
  await runOn(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'this table fails'; end $$;
     create trigger refuse before delete on message_body for each row execute function refuse();
     insert into event (workspace_id, id, place, type, body, created_at)
     select 1, facteur_event_id(facteur_now(), n), n, 'email.sent', '{}', facteur_now() from generate_series(1, 10001) n`,
  )
  for (const name of ['bodies', 'events'] as const) await setWorkspaceRetention(db, 1, name, 7)
  await stopClock(url, `${new Date(Date.now() + 8 * dayMs).toISOString().slice(0, 10)}T02:00:00Z`)
  const failed: unknown[] = []
  const counting = {
    error: (context: { table?: unknown; workspaceId?: unknown }) =>
      failed.push([context.table, context.workspaceId]),
  }
  const events = async (): Promise<number> =>
    (await rowsOf(database, 'select id from event')).length
  const stopping = new AbortController()
  const stop = (): Promise<void> => Promise.resolve(stopping.abort())
  await expireRows({ db, log: counting }, { pause: stop, stopping: stopping.signal })
  assert.deepEqual(
    [failed, await events()],
    [[[String((await partOf(database, id))[0]), 1]], 5_001],
  )
  assert.deepEqual(
    [await bodies(database), await rowsOf(database, 'select message_id from attachment')],
    [[id], []],
  )
  let pauses = 0
  await expireRows(
    { db, log: counting },
    { pause: () => Promise.resolve(void pauses++), stopping: new AbortController().signal },
  )
  assert.deepEqual([pauses, await events(), failed.length], [1, 0, 2])
})

test('a missed night is made up for at any hour, and then nights are waited for again', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now())
  const [first, second] = [ids(), ids()]
  await insertMail(database, first)
  await setWorkspaceRetention(db, 1, 'bodies', 7)
  const expire = () =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    )
  const day = (count: number, hour: string) =>
    `${new Date(Date.now() + count * dayMs).toISOString().slice(0, 10)}T${hour}:00:00Z`
  await stopClock(url, day(7, '12'))
  await expire()
  await stopClock(url, day(8, '12'))
  await expire()
  assert.deepEqual(await bodies(database), [first], 'the next night comes')
  await stopClock(url, day(8, '19'))
  await expire()
  assert.deepEqual(await bodies(database), [])
  await insertMail(database, second, { at: "facteur_now() - interval '8 days'" })
  await stopClock(url, day(9, '06'))
  await expire()
  assert.deepEqual(await bodies(database), [second])
  await stopClock(url, day(10, '02'))
  await expire()
  assert.deepEqual(await bodies(database), [])
})

test('parts take turns, and the table that waits longest begins', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  await runOn(
    url,
    `insert into event (workspace_id, id, place, type, body, created_at)
     select w, facteur_event_id(facteur_now(), n), w * 100000 + n, 'email.sent', '{}', facteur_now() from generate_series(1, 2) w, generate_series(1, 10001) n
     where w = 1 or n <= 10;
     insert into audit_log (workspace_id, id, who, act, subject, details, created_at)
     select 1, facteur_event_id(facteur_now(), n), '', '', '', '{}', facteur_now() from generate_series(1, 5001) n;
     insert into partition_upkeep (table_name, batches_completed_at)
     values ('audit_log', facteur_now() - interval '1 day'), ('event', facteur_now())
     on conflict (table_name) do update set batches_completed_at = excluded.batches_completed_at`,
  )
  for (const workspaceId of [1, 2]) await setWorkspaceRetention(db, workspaceId, 'events', 7)
  await setWorkspaceRetention(db, 1, 'audit_log', 30)
  await stopClock(url, `${new Date(Date.now() + 32 * dayMs).toISOString().slice(0, 10)}T02:00:00Z`)
  const rows = async () => [
    (await rowsOf(database, 'select count(*)::int from audit_log'))[0],
    (await rowsOf(database, 'select count(*)::int from event where workspace_id = 1'))[0],
    (await rowsOf(database, 'select count(*)::int from event where workspace_id = 2'))[0],
  ]
  const known: unknown[] = []
  const pause = async (): Promise<void> => void known.push(await rows())
  await expireRows({ db, log }, { pause, stopping: new AbortController().signal })
  assert.deepEqual(known, [
    [1, 10_001, 10],
    [1, 5_001, 10],
    [0, 1, 0],
  ])
  assert.deepEqual(await rows(), [0, 0, 0])
})

test('a shorter limit: expired rows in earlier months are deleted at night, and other rows of these months stay', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  await runOn(
    url,
    `insert into plan values ('default', null); insert into workspace (id, slug, name, plan, created_at) values (1, 'shop', 'shop', 'default', facteur_now())`,
  )
  await maintainPartitions({ db, log })
  // The month after this one is a part of its own, made under a limit of 395 days.
  const next = new Date()
  next.setUTCMonth(next.getUTCMonth() + 1, 1)
  next.setUTCHours(0, 0, 0, 0)
  const at = (dayCount: number): string => new Date(next.getTime() + dayCount * dayMs).toISOString()
  await stopClock(url, at(-1))
  await maintainPartitions({ db, log })
  for (const dayCount of [2, 20])
    await runOn(
      url,
      `insert into engagement (workspace_id, id, kind, visitor, at, user_agent) values (1, facteur_event_id('${at(dayCount)}', 1), 'open', 'person', '${at(dayCount)}', '')`,
    )
  const parts = await rowsOf(database, 'select distinct tableoid::regclass::text from engagement')
  assert.equal(parts.length, 1)
  assert.match(String(parts[0]), /^engagement_\d{8}_\d{8}$/)
  await setInstallationRetention(db, 'delivery_details', 31)
  await stopClock(url, at(40).replace('T00', 'T02'))
  await maintainPartitions({ db, log })
  const stored = () => rowsOf(database, 'select at::text from engagement')
  assert.equal((await stored()).length, 2)
  await expireRows(
    { db, log },
    { pause: () => Promise.resolve(), stopping: new AbortController().signal },
  )
  assert.deepEqual(await rowsOf(database, `select at = '${at(20)}' from engagement`), [true])
})

test('free headers go with the texts; the rest of the line stays. With a limit for messages, the line goes too', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const ids = makeIds(() => Date.now())
  const [done, waiting] = [ids(), ids()]
  await runOn(
    url,
    `insert into plan values ('default', null); insert into workspace (id, slug, name, plan, created_at) values (1, 'shop', 'shop', 'default', facteur_now())`,
  )
  await insertMail(database, done)
  await insertMail(database, waiting, { state: 'pending' })
  await runOn(
    url,
    `update message set head = '{"from":{"name":null,"address":"a@b.test"},"headers":[["X-Order","7"]]}'`,
  )
  await runOn(
    url,
    `insert into message_search (workspace_id, at, message_id, addresses, subject, tags, grams) values (1, facteur_now(), '${done}', '', '', '', '{1}')`,
  )
  const expire = () =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    )
  const nightIn = (count: number) =>
    `${new Date(Date.now() + count * dayMs).toISOString().slice(0, 10)}T02:00:00Z`
  const heads = () => rowsOf(database, 'select head::text from message')
  await stopClock(url, nightIn(29))
  await expire()
  assert.equal((await heads()).filter((head) => /X-Order/.test(String(head))).length, 2)
  await stopClock(url, nightIn(32))
  await expire()
  assert.deepEqual(
    await rowsOf(database, `select id from message where head::text like '%X-Order%'`),
    [waiting],
  )
  assert.equal((await heads()).filter((head) => /a@b\.test/.test(String(head))).length, 2)
  await setInstallationRetention(db, 'messages', 40)
  await stopClock(url, nightIn(42))
  await expire()
  assert.deepEqual(await rowsOf(database, 'select id from message'), [waiting])
  assert.deepEqual(await rowsOf(database, 'select message_id from recipient'), [waiting])
  assert.deepEqual(await rowsOf(database, 'select message_id from message_search'), [])
})

test('partitions are attached and detached while rows come: none is refused, none is lost', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  await moveClock(url, days(31))
  const over = new AbortController()
  const written: string[] = []
  let goOn = (): void => undefined
  const hasMoved = new Promise<void>((resolve) => (goOn = resolve))
  const write = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const ids = makeIds(() => Date.now() + 31 * dayMs)
    while (!over.signal.aborted) {
      // No more rows come together in the default partition than one round moves.
      if (written.length > 1_000) await hasMoved
      const id = ids()
      await client.query({
        name: 'write',
        text: 'insert into message_body (workspace_id, message_id, text) values (1, $1, $2)',
        values: [id, 'x'],
      })
      const { rowCount } = await client.query({
        // Prepared, or planned each time.
        ...(written.length % 2 === 0 && { name: 'read' }),
        text: 'select from message_body where workspace_id = 1 and message_id = $1',
        values: [id],
      })
      assert.equal(rowCount, 1)
      written.push(id)
    }
    await client.end()
  }
  const writers = [write(), write(), write()]
  await until(
    () => written.length,
    (count) => count > 10,
  )
  const movedRows = async (): Promise<number> => {
    await maintainPartitions({ db, log })
    return (await partitionUpkeep(db)).find(({ table }) => table === 'message_body')?.moved ?? 0
  }
  await until(movedRows, (moved) => moved > 10)
  goOn()
  await moveClock(url, days(35))
  // A round that meets a lock leaves that table, and the next one takes it.
  await until(
    async () => {
      await Promise.all([maintainPartitions({ db, log }), maintainPartitions({ db, log })])
      return (await partitionUpkeep(db)).find(({ table }) => table === 'message_body')
    },
    (upkeep) => upkeep !== undefined && upkeep.made > 3 && upkeep.dropped > 0,
  )
  over.abort()
  await Promise.all(writers)
  assert.deepEqual((await bodies(database)).length, written.length)
})

test('statements that are planned while rows move to their partition wait, and find them', async (t) => {
  const database = await freshDatabase(t)
  const { connection: db, url } = database
  const id = idIn(20)
  await insertMail(database, id)
  const day = Math.floor((Date.now() + 20 * dayMs) / dayMs) * dayMs
  const table = {
    table: 'message_body',
    class: 'bodies',
    key: 'message_id',
    keyType: 'uuid',
  } as const
  const answer = await changePartitions(
    db,
    ['message_body', 'message_body_default'],
    async (tx) => {
      assert.equal(
        await makePartition(tx, table, { fromMs: day, toMs: day + dayMs, isCurrent: false }),
        1,
      )
      // Plans with a value in their text know the partition at once, as prepared ones do when they
      // are made again.
      const read = runOn(
        url,
        `select text from message_body where workspace_id = 1 and message_id = '${id}'`,
      )
      const changed = runOn(
        url,
        `update message_body set text = 'changed' where workspace_id = 1 and message_id = '${id}'`,
      )
      await Promise.all([
        untilWaits(url, 'select text from message_body'),
        untilWaits(url, 'update message_body'),
      ])
      return [read, changed]
    },
  )
  assert.deepEqual(
    (await Promise.all(answer ?? [])).map(({ rowCount }) => rowCount),
    [1, 1],
  )
})

test('periods are a tenth of a short limit, and months otherwise', () => {
  const at = Date.UTC(2026, 10, 23, 12)
  const day = (limit: number | null) => new Date(endOfPeriod(at, limit)).toISOString().slice(0, 10)
  assert.deepEqual(
    [day(1), day(7), day(30), day(60), day(61), day(null)],
    ['2026-11-24', '2026-11-24', '2026-11-24', '2026-11-27', '2026-12-01', '2026-12-01'],
  )
  assert.deepEqual(
    [0, 1, 4, 5].map((hour) => isOffPeak(Date.UTC(2026, 10, 23, hour))),
    [false, true, true, false],
  )
  process.env['TZ'] = 'Asia/Tokyo'
  assert.deepEqual(
    [isOffPeak(Date.UTC(2026, 10, 23, 2)), isOffPeak(Date.UTC(2026, 10, 23, 17))],
    [false, true],
  )
  process.env['TZ'] = 'UTC'
})
