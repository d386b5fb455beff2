/**
 * A database that goes away and comes back, behind a proxy that a test closes: what the log says of
 * it, and what callers are answered.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ADMIN_URL, freshDatabase } from '../support/database.ts'
import { startProxy } from '../support/database-proxy.ts'
import { startProgram } from '../support/service.ts'
import { watchDescriptors } from '../../src/main/watch-descriptors.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { watchOutage } from '../../src/core/outage-watch.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { connect } from '../../src/database/client/connect.ts'
import { lostConnection, passesLater, sqlState } from '../../src/database/client/database-errors.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createOperator } from '../cli/facteur.ts'
import { until } from '../support/until.ts'

const env = {
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  // Another program may have the port; its warning would be one more line.
  FACTEUR_SUBMISSION_PORT: '0',
}

test('one line when the database goes and one when it is back; 503s meanwhile carry Retry-After', async (t) => {
  const { url } = await freshDatabase(t)
  const proxy = await startProxy(t, url)
  const service = await startProgram(t, { env: { ...env, DATABASE_URL: proxy.url } })
  await service.saying('Facteur is ready')
  const operator = createOperator({ ...env, DATABASE_URL: url })
  await operator.run(['workspace', 'create', 'Shop'])
  const key =
    /\S{30,}/.exec(
      await operator.text([
        'key',
        'create',
        '--workspace',
        'shop',
        '--name',
        'app',
        '--scopes',
        'emails:send',
      ]),
    )?.[0] ?? ''
  const ask = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${service.port}/api/v1/me`, {
      headers: { Authorization: `Bearer ${key}` },
    })
  assert.equal((await ask()).status, 200)

  proxy.cut()
  await service.saying('The database does not answer')
  for (let calls = 0; calls < 20; calls++) {
    const answer = await ask()
    assert.equal(answer.status, 503)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const scrape = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text()
  const meanwhile = await scrape()
  proxy.mend()
  await service.saying('The database answers again')
  assert.equal((await ask()).status, 200)
  const [away, back] = [samplesOf(meanwhile), samplesOf(await scrape())]
  assert.match(meanwhile, /^process_resident_memory_bytes /m)
  // Gauges alone: a counter of calls may have its first sample since.
  const fromDatabase =
    /^facteur_(?:due|recipients|today|provider_throttled|webhook|database_oldest|table|partition|backup_(?!interval)|held_after|disk_(?!free))/
  assert.deepEqual(
    away.filter((name) => fromDatabase.test(name)),
    [],
    'a gauge that cannot be read is absent',
  )
  for (const read of [
    'lanes',
    'recipients',
    'today',
    'providers',
    'webhooks',
    'holds',
    'tables',
    'partitions',
    'backup',
    'restore',
    'copy',
    'disk',
  ]) {
    assert.ok(away.includes(`facteur_metrics_read_failed{read="${read}"} 1`), read)
    assert.ok(back.includes(`facteur_metrics_read_failed{read="${read}"} 0`), read)
  }
  for (const sample of [
    'facteur_webhook_backlog 0',
    'facteur_backup_failed 0',
    'facteur_disk_growth_bytes Nan',
  ])
    assert.ok(back.includes(sample), sample)
  const output = service
    .output()
    .split('\n')
    .filter((line) => /"level":"(?:warn|error)"/.test(line))
  assert.deepEqual(
    output.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['The database does not answer; mail and calls wait for it', 'The database answers again'],
  )
})

const samplesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('a database that takes no connections (SQLSTATE 55000) is away: 503s with Retry-After, and it comes back', async (t) => {
  const { url, connection } = await freshDatabase(t)
  const service = await startProgram(t, { env: { ...env, DATABASE_URL: url } })
  await service.saying('Facteur is ready')
  const name =
    (await connection.rows<{ name: string }>(sql`select current_database() as name`))[0]?.name ?? ''
  const server = connect({ connectionString: process.env[ADMIN_URL] ?? '' })
  t.after(() => server.end())
  const allow = (allowed: boolean): Promise<unknown> =>
    server.rows({
      name: `allow ${allowed}`,
      text: `alter database ${name} allow_connections ${allowed}`,
      values: [],
    })
  const ask = (): Promise<Response> =>
    fetch(`http://127.0.0.1:${service.port}/api/v1/me`, { headers: { 'X-Api-Key': 'unknown' } })
  assert.equal((await ask()).status, 401)

  await allow(false)
  await server.rows(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`,
  )
  await service.saying('The database does not answer')
  const answer = await ask()
  await allow(true)
  assert.equal(answer.status, 503)
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  await service.saying('The database answers again')
  assert.equal((await ask()).status, 401)
})

/**
 * The meaning of each SQLSTATE: the connection is gone, the same statement may pass later, or it
 * never will.
 */
const states = {
  gone: [
    '08000',
    '08001',
    '08003',
    '08004',
    '08006',
    '08P01',
    '57P01',
    '57P02',
    '57P03',
    '57P04',
    '57P05',
    '25P03',
    '25P04',
  ],
  later: [
    '25006',
    '40001',
    '40P01',
    '53000',
    '53100',
    '53200',
    '53300',
    '55P03',
    '57014',
    '58000',
    '58030',
    '58P01',
    'XX000',
  ],
  never: [
    '22012',
    '23505',
    '25P02',
    '28P01',
    '3D000',
    '42P01',
    '53400',
    '55000',
    '55006',
    '57000',
    'XX001',
    'XX002',
  ],
}

for (const [meaning, codes] of Object.entries(states)) {
  test(`SQLSTATE ${codes.join(', ')}: ${meaning}`, async (t) => {
    const { connection } = await freshDatabase(t)
    for (const code of codes) {
      const raise = {
        name: '',
        text: `do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`,
        values: [],
      }
      const error: unknown = await connection.rows(raise).catch((failure: unknown) => failure)
      assert.equal(sqlState(error), code)
      assert.equal(lostConnection(error), meaning === 'gone', code)
      assert.equal(passesLater(error), meaning !== 'never', code)
    }
  })
}

test('an error of a file is none of the database, whatever its code; one of its socket is', async () => {
  const ofFile: unknown = await readFile('/nowhere/backup').catch((error: unknown) => error)
  const ofPipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
  for (const error of [ofFile, ofPipe]) assert.equal(lostConnection(error), false)
  for (const path of ['?host=/nowhere', '127.0.0.1:1/none']) {
    const db = connect({
      connectionString: `postgres://u:p@${path.startsWith('?') ? '/none' : ''}${path}`,
    })
    const error: unknown = await db.rows(sql`select 1`).catch((failure: unknown) => failure)
    await db.end()
    assert.ok(error instanceof Error && 'code' in error && lostConnection(error), String(error))
  }
})

/**
 * A log that stores its lines, and a clock that moves by itself only while something is waited for.
 */
function outage() {
  const lines: string[] = []
  let nowMs = 0
  let end: () => void = () => undefined
  const say = (_fields: object, message: string): void => void lines.push(message)
  const clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    sleep: () => new Promise<void>((resolve) => (end = resolve)),
  }
  const watch = watchOutage({ clock, log: { debug: say, info: say, warn: say, error: say } })
  return {
    lines,
    watch,
    pass: (ms: number) => ((nowMs += ms), end()),
    passUnasked: (ms: number) => (nowMs += ms),
  }
}

test('a line a minute while it lasts, none for the failures that it causes, and the lines of other failures as ever', async (t) => {
  const { url } = await freshDatabase(t)
  const proxy = await startProxy(t, url)
  const { lines, watch, pass } = outage()
  const db = connect({ connectionString: proxy.url, watch, onError: () => undefined })
  t.after(() => db.end())
  let requested = Promise.withResolvers<void>()
  watch.start(() => db.rows(sql`select 1`).finally(() => setImmediate(() => requested.resolve())))
  const query = async (ms: number): Promise<void> => {
    requested = Promise.withResolvers()
    pass(ms)
    await requested.promise
  }
  await db.rows(sql`select 1`)
  proxy.cut()
  const fail = async (): Promise<void> => {
    const error: unknown = await db.rows(sql`select 1`).catch((failure: unknown) => failure)
    watch.log.error({ err: error }, 'A turn failed')
    watch.log.warn({ err: new Error('around it', { cause: error }) }, 'Another failed')
  }
  await fail()
  await requested.promise
  assert.deepEqual(lines, ['The database does not answer; mail and calls wait for it'])
  for (let seconds = 0; seconds < 125; seconds += 5) {
    await query(5_000)
    await fail()
  }
  watch.log.error({ err: new Error('no database') }, 'A provider failed with an unexpected error')
  assert.deepEqual(lines.slice(1), [
    ...Array.from({ length: 2 }, () => 'The database still does not answer'),
    'A provider failed with an unexpected error',
  ])
  proxy.mend()
  await query(5_000)
  assert.equal(lines.at(-1), 'The database answers again')
  assert.equal(watch.isAway, false)
})

test('a connection that is ended while the database goes on is one line, and no outage', async (t) => {
  const { url } = await freshDatabase(t)
  const { lines, watch } = outage()
  const db = connect({ connectionString: url, watch, onError: () => undefined })
  t.after(() => db.end())
  const requested = Promise.withResolvers<void>()
  watch.start(() => db.rows(sql`select 1`).finally(() => setImmediate(() => requested.resolve())))
  for (let connections = 0; connections < 10; connections++)
    watch.broke(new Error('terminating connection'))
  await requested.promise
  assert.deepEqual(lines, ['A database connection broke; the pool replaces it'])
})

test('a statement that is lost while the database goes on is no outage: one line, and those of the calls that failed by it', async (t) => {
  const { url, connection } = await freshDatabase(t)
  const { lines, watch } = outage()
  const db = connect({
    connectionString: url,
    watch,
    onError: (error) => watch.broke(error),
    applicationName: 'ended',
  })
  t.after(() => db.end())
  const requested = Promise.withResolvers<void>()
  watch.start(() =>
    connection.rows(sql`select 1`).finally(() => setImmediate(() => requested.resolve())),
  )
  const lost = db.rows(sql`select pg_sleep(60)`).catch((error: unknown) => {
    watch.log.error({ err: error }, 'A turn failed')
    return error
  })
  const end = sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ended' and wait_event = 'PgSleep'`
  await until(
    () => connection.count(end),
    (observed) => observed !== 0,
  )
  const error = await lost
  await requested.promise
  watch.log.warn({ err: error }, 'Another failed')
  assert.deepEqual(lines, [
    'A database connection broke; the pool replaces it',
    'A turn failed',
    'Another failed',
  ])
  assert.equal(watch.isAway, false)
})

test('a refusal that ends a transaction whose connection is gone does not pass for an answer', async (t) => {
  const { url } = await freshDatabase(t)
  const proxy = await startProxy(t, url)
  const { lines, watch, passUnasked } = outage()
  const db = connect({ connectionString: proxy.url, watch, onError: () => undefined })
  t.after(() => db.end())
  const requested = Promise.withResolvers<void>()
  watch.start(() => db.rows(sql`select 1`).finally(() => setImmediate(() => requested.resolve())))
  const refused = db.transaction(async () => {
    proxy.cut()
    await db.rows(sql`select 1`).catch(() => undefined)
    await requested.promise
    passUnasked(5_000)
    throw new ApiError('not_found')
  })
  await assert.rejects(refused, ApiError)
  assert.deepEqual(lines, ['The database does not answer; mail and calls wait for it'])
})

test('too few file descriptors: said at the start, when there are none left, once, and when there are again', async (t) => {
  const { lines, log } = listen()
  let end: () => void = () => undefined
  let fails = true
  const clock = { ...systemClock, sleep: () => new Promise<void>((resolve) => (end = resolve)) }
  const tryOpen = () =>
    fails ? Promise.reject(Object.assign(new Error('no'), { code: 'EMFILE' })) : Promise.resolve()
  const watch = watchDescriptors({ clock, log }, { max: 256, tryOpen })
  t.after(() => watch.stop())
  const query = async (): Promise<void> => {
    end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await query()
  await query()
  fails = false
  await query()
  await query()
  assert.match(
    lines.join('\n'),
    /^Few files .*ulimit -n.*\nNo more files .*LimitNOFILE=.*\nFiles and connections can be opened again$/,
  )
})

test('a watch of file descriptors whose log fails ends without ending the process', async (t) => {
  const fails = () => assert.fail('the log cannot be written')
  const log = { debug: fails, info: fails, warn: fails, error: fails }
  const tryOpen = () => Promise.reject(Object.assign(new Error('no'), { code: 'EMFILE' }))
  const unhandled = t.mock.fn()
  process.on('unhandledRejection', unhandled)
  t.after(() => process.off('unhandledRejection', unhandled))
  watchDescriptors({ clock: systemClock, log }, { max: null, tryOpen })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(unhandled.mock.callCount(), 0)
})

function listen() {
  const lines: string[] = []
  const say = (_fields: object, message: string): void => void lines.push(message)
  return { lines, log: { debug: say, info: say, warn: say, error: say } }
}
