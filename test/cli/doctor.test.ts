/** `facteur doctor`: each thing that can be wrong is found, named, and given a next step. */
import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { lowerRate } from '../../src/db/sending/provider-rates.ts'
import { freshDatabase, moveClock, runOn, withDatabaseName } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { startScriptedPeer, type Script } from '../support/scripted-peer.ts'
import { startProgram } from '../support/service.ts'
import { createOperator } from './facteur.ts'

const { url, connection } = await freshDatabase()
const settings = {
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FACTEUR_PORT: String(await freePort()),
}

interface Finding {
  exit: number | null
  /** The check of this name. */
  check(name: string): unknown
}

async function examine(env: Record<string, string>): Promise<Finding> {
  const output = await createOperator({ ...settings, ...env }).run(['doctor', '--json'])
  assert.equal(output.stderr, '')
  const report: unknown = JSON.parse(output.stdout.toString())
  const checks = at(report, 'checks')
  assert.ok(Array.isArray(checks))
  assert.equal(at(report, 'status') === 'problem' ? 1 : 0, output.code)
  return { exit: output.code, check: (name) => checks.find((check) => at(check, 'name') === name) }
}

/** It says what is wrong and what to do, and ends with 1. */
async function finds(
  env: Record<string, string>,
  name: string,
  message: RegExp,
  next: RegExp,
): Promise<void> {
  const { exit, check } = await examine(env)
  const result = check(name)
  assert.equal(at(result, 'status'), 'problem', JSON.stringify(result))
  assert.match(String(at(result, 'message')), message)
  assert.match(String(at(result, 'next')), next)
  assert.equal(exit, 1)
}

test('exit 0: all is well on a migrated database with the capture mailbox', async () => {
  const output = await createOperator(settings).text(['doctor'])
  for (const name of [
    'settings',
    'database',
    'primary',
    'clock',
    'master key',
    'cleaning up',
    'pace',
    'growth',
    'partitions',
    'disk',
    'provider',
    'port',
    'base URL',
  ]) {
    assert.match(output, new RegExp(`^ok +${name} `, 'm'))
  }
  assert.match(output, /\n\nAll is well\.\n$/)
})

test('operator pages: where the base URL is public they need a token', async () => {
  const env = { ...settings, FACTEUR_BASE_URL: 'https://127.0.0.1.example.invalid' }
  const { check } = await examine(env)
  assert.partialDeepStrictEqual(check('operator pages'), { status: 'warning' })
  assert.match(String(at(check('operator pages'), 'next')), /FACTEUR_OPERATOR_TOKEN/)
  const withToken = await examine({ ...env, FACTEUR_OPERATOR_TOKEN: 'a-token-that-nobody-guesses' })
  assert.partialDeepStrictEqual(withToken.check('operator pages'), { status: 'ok' })
  assert.equal((await examine({})).check('operator pages'), undefined)
})

test('exit 1, problem and next step in words: a setting that cannot be used', async () => {
  const output = await createOperator({ ...settings, FACTEUR_PORT: 'none' }).run(['doctor'])
  assert.equal(output.code, 1)
  assert.match(
    output.stdout.toString(),
    /^problem  settings  FACTEUR_PORT is "none": expected a number from 0 to 65535\n +→ Mend it/,
  )
})

test('settings: each wrong one is a line of its own, names included', async () => {
  const output = await createOperator({
    ...settings,
    FACTEUR_SPF: 'ip4:999',
    FACTEUR_SMPT_URL: 'x',
  }).run(['doctor', '--json'])
  const checks = at(JSON.parse(output.stdout.toString()), 'checks')
  assert.deepEqual(
    (checks as { name: string; status: string; message: string }[]).map(
      ({ name, status, message }) => [name, status, message.split(':')[0]],
    ),
    [
      ['settings', 'problem', 'FACTEUR_SMPT_URL is no setting of Facteur'],
      ['settings', 'problem', 'FACTEUR_SPF is "ip4'],
    ],
  )
})

test('settings: every setting of the service is one for the doctor, and a certificate is looked at as the start does', async () => {
  const whole = {
    ...{
      FACTEUR_LEASE_SECONDS: '90',
      FACTEUR_FAILPOINTS: 'never.hit:throw',
      FACTEUR_HEALTH_PORT: '0',
      FACTEUR_LANGUAGE: 'en',
    },
    ...{
      FACTEUR_SPF: 'ip4:192.0.2.10 include:_spf.relay.example',
      FACTEUR_STOP_SECONDS: '9',
      FACTEUR_KEY: 'fct_live_x',
    },
    ...{
      FACTEUR_TRUST_PROXY: 'true',
      FACTEUR_OPERATOR_TOKEN: 'sixteen letters!',
      FACTEUR_IN_DOUBT: 'hold',
    },
  }
  assert.equal(at((await examine(whole)).check('settings'), 'status'), 'ok')
  await finds(
    { FACTEUR_INBOUND_TLS_CERT: '/nowhere', FACTEUR_INBOUND_TLS_KEY: '/nowhere' },
    'settings',
    /^FACTEUR_INBOUND_TLS_CERT names no file that can be read/,
    /does not start/,
  )
})

test('source address: one that is not this machine’s is a problem, with those that it has', async () => {
  await finds(
    { FACTEUR_SOURCE_ADDRESS: '192.0.2.10' },
    'source address',
    /^192\.0\.2\.10 is no address of this machine/,
    /^Set FACTEUR_SOURCE_ADDRESS/,
  )
  assert.equal(
    at((await examine({ FACTEUR_SOURCE_ADDRESS: '127.0.0.1' })).check('source address'), 'status'),
    'ok',
  )
})

test('database: not there, a wrong password, of a newer version', async () => {
  await finds(
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' },
    'database',
    /^DATABASE_URL: nothing listens there/,
    /DATABASE_URL/,
  )
  const wrong = url.replace(/\/\/([^:]+):[^@]+@/, '//$1:wrong@')
  await finds(
    { DATABASE_URL: wrong },
    'database',
    /^DATABASE_URL: user or password are wrong/,
    /DATABASE_URL/,
  )
  await runOn(
    url,
    "insert into schema_migration (name, hash, applied_at) values ('9999_future.sql', '', facteur_now())",
  )
  await finds(
    {},
    'database',
    /newer version of Facteur \(it has 9999_future\.sql\)/,
    /Start that version/,
  )
  await runOn(url, "delete from schema_migration where name = '9999_future.sql'")
})

test('database: an empty one is a warning, and is left empty', async () => {
  const name = `${String((await runOn(url, 'select current_database() as name')).rows[0]?.name)}_empty`
  await runOn(url, `create database ${name}`)
  try {
    const empty = withDatabaseName(url, name)
    const { exit, check } = await examine({ DATABASE_URL: empty })
    assert.partialDeepStrictEqual(check('database'), {
      status: 'warning',
      next: 'Run: facteur migrate',
    })
    assert.equal(exit, 0)
    assert.equal(
      (await runOn(empty, "select from pg_tables where schemaname = 'public'")).rowCount,
      0,
    )
  } finally {
    await runOn(url, `drop database ${name} with (force)`)
  }
})

test('clock: the database an hour ahead or behind', async () => {
  await moveClock(url, '1 hour')
  await finds({}, 'clock', /database's clock is 3600\.\d s ahead of this machine's/, /NTP/)
  await moveClock(url, '-1 hour')
  await finds({}, 'clock', /3\d\d\d\.\d s behind/, /NTP/)
  await moveClock(url, '0')
})

test('master key: missing, and not the one of this database', async () => {
  await finds(
    { FACTEUR_MASTER_KEY: '' },
    'master key',
    /needs FACTEUR_MASTER_KEY/,
    /openssl rand -base64 32/,
  )
  await runOn(
    url,
    "insert into installation (master_key_fingerprint, created_at) values ('another', facteur_now())",
  )
  await finds(
    {},
    'master key',
    /not the key that this database's secrets are sealed with/,
    /key of the first start/,
  )
  await runOn(url, 'delete from installation')
})

test('pace: a provider that asked for a slower one, by how much and until when', async () => {
  const measured = {
    provider: 'smtp-relay',
    process: '01990000-0000-7000-8000-000000000001',
    perSecond: 311,
  }
  await lowerRate(connection, measured, null)
  const { exit, check } = await examine({})
  assert.equal(exit, 0)
  assert.equal(at(check('pace'), 'status'), 'warning')
  assert.match(
    String(at(check('pace'), 'message')),
    /^smtp-relay has asked for a slower pace since [\d:]{8} UTC: 155\.5 mails a second instead of 311, and the former pace again at [\d:]{8}$/,
  )
  assert.match(String(at(check('pace'), 'next')), /^Wait: .*FACTEUR_RATE_PER_SECOND/)
  await runOn(url, 'delete from provider_rate')
})

test('cleaning up: an open transaction, a prepared one and an unread replication slot, each with how to end it', async () => {
  const client = new pg.Client({ connectionString: url, application_name: 'forgotten' })
  await client.connect()
  await client.query('begin; select 1')
  assert.partialDeepStrictEqual((await examine({})).check('cleaning up'), {
    status: 'ok',
    next: null,
  })
  await moveClock(url, '90 seconds')
  const { exit, check } = await examine({})
  await moveClock(url, '0')
  await client.query('commit')
  await client.end()
  const result = check('cleaning up')
  assert.equal(at(result, 'status'), 'warning')
  assert.match(
    String(at(result, 'message')),
    /^oldest open transaction \(forgotten process \d+\) is \d+ s old: the database cannot clean up/,
  )
  assert.match(String(at(result, 'next')), /^End forgotten process \d+: .*pg_terminate_backend/)
  assert.equal(exit, 1, 'the clock was moved')
})

test('partitions: a table that was not maintained for a day, and one that is not divided', async () => {
  await runOn(
    url,
    `insert into partition_upkeep (table_name, succeeded_at, error) values ('event', facteur_now() - interval '25 hours', 'A transaction has event in use')
     on conflict (table_name) do update set succeeded_at = excluded.succeeded_at, error = excluded.error`,
  )
  const late = (await examine({})).check('partitions')
  assert.deepEqual(
    [at(late, 'status'), at(late, 'message')],
    ['warning', 'event was not maintained for a day: A transaction has event in use'],
  )
  await runOn(
    url,
    `update partition_upkeep set succeeded_at = facteur_now() - interval '22 days', error = null where table_name = 'event'`,
  )
  const idle = (await examine({})).check('partitions')
  assert.deepEqual(
    [at(idle, 'status'), at(idle, 'message')],
    ['warning', 'event was not maintained for 22 days'],
  )
  assert.match(String(at(idle, 'next')), /^Start a worker/)
  await runOn(
    url,
    `update partition_upkeep set succeeded_at = facteur_now(), batches_completed_at = facteur_now() - interval '3 days' where table_name = 'event'`,
  )
  const waiting = (await examine({})).check('partitions')
  assert.deepEqual(
    [at(waiting, 'status'), at(waiting, 'message')],
    ['warning', 'expired rows of event were not all deleted for 3 days'],
  )
  await runOn(url, `update partition_upkeep set batches_completed_at = facteur_now()`)
  await runOn(
    url,
    `update partition_upkeep set error = null;
     alter table raw_notice rename to raw_notice_whole; create table raw_notice (like raw_notice_whole including all)`,
  )
  const whole = (await examine({})).check('partitions')
  await runOn(url, 'drop table raw_notice; alter table raw_notice_whole rename to raw_notice')
  assert.equal(at(whole, 'status'), 'warning')
  assert.match(String(at(whole, 'message')), /^raw_notice could not be divided by time/)
})

test('clean-up: what the last round failed at, with its workspaces', async () => {
  assert.equal((await examine({})).check('clean-up'), undefined)
  await runOn(
    url,
    `insert into clean_up_failure (table_name, workspace, others, error, since)
     values ('sign_up', 'acme', 2, 'canceling statement due to lock timeout', '2026-01-02 03:04Z')`,
  )
  const failing = (await examine({})).check('clean-up')
  await runOn(url, 'delete from clean_up_failure')
  assert.equal(at(failing, 'status'), 'warning')
  assert.equal(
    at(failing, 'message'),
    'sign_up of workspace acme and 2 more is not cleaned up since 2026-01-02 03:04 UTC: canceling statement due to lock timeout',
  )
})

test('closed workspace: named once its move is quiet and holds it no more, with what opens it', async () => {
  await createOperator(settings).json(['workspace', 'create', 'Closed'])
  const close = (withheld: string, beat: string): Promise<unknown> =>
    runOn(
      url,
      `delete from workspace_move;
       insert into workspace_move (workspace, from_cell, to_cell, state, held_until, began_at, beat_at)
       select id, 1, 2, 'held', facteur_now() + interval '${withheld}', facteur_now(), facteur_now() + interval '${beat}'
       from workspace where slug = 'closed'`,
    )
  await runOn(
    url,
    `insert into move_gate (workspace_id, part) select id, 'closing' from workspace where slug = 'closed'`,
  )
  const named = async (): Promise<unknown> => (await examine({})).check('closed workspace')
  for (const [withheld, beat] of [
    ['30 seconds', '-1 hour'],
    ['-1 hour', '-30 seconds'],
  ] as const) {
    await close(withheld, beat)
    assert.equal(await named(), undefined)
  }
  await close('-2 minutes', '-2 minutes')
  const result = await named()
  assert.equal(at(result, 'status'), 'problem')
  assert.match(
    String(at(result, 'message')),
    /^closed refuses every change in its cell 1: .*503 \(changing_cell\)/,
  )
  assert.match(
    String(at(result, 'next')),
    /start one\. .* facteur workspace move closed 2 --cancel opens the workspace too\.$/,
  )
  // A gate in a cell that the workspace has left goes on refusing.
  await runOn(url, `update workspace set cell = 2 where slug = 'closed'`)
  assert.equal(await named(), undefined)
  await runOn(
    url,
    `delete from move_gate; delete from workspace_move; delete from workspace where slug = 'closed'`,
  )
})

test('disk: too little is free where the embedded database is', async () => {
  const folder = join(makeTemporaryFolder('doctor'), 'data')
  const env = {
    DATABASE_URL: '',
    FACTEUR_MASTER_KEY: '',
    FACTEUR_DATA: folder,
    FACTEUR_DISK_FREE_MB: '999999999',
  }
  await finds(env, 'disk', /free at .*: below 999999 GB nothing new is accepted/, /Make room/)
})

async function relay(t: TestContext, script: Script, offers: string[] = []): Promise<string> {
  const peer = await startScriptedPeer({ offers, script })
  t.after(() => peer.close())
  return `127.0.0.1:${peer.port}`
}

test('provider: logs in as a hand-off would and sends nothing', async (t) => {
  const peer = await startScriptedPeer({ offers: ['AUTH PLAIN'] })
  t.after(() => peer.close())
  const { exit, check } = await examine({
    FACTEUR_SMTP_URL: `smtp://ada:secret@127.0.0.1:${peer.port}?tls=none`,
  })
  assert.partialDeepStrictEqual(check('provider'), {
    status: 'ok',
    message: `127.0.0.1:${peer.port} answers and accepts the user and password`,
  })
  assert.equal(exit, 0)
  assert.deepEqual(peer.mails, [])
  assert.ok(
    peer.requests.every((request) =>
      request.lines.every((line) => !/^(MAIL|RCPT|DATA)/.test(line)),
    ),
  )
})

test('provider: a login that is refused, no TLS, no listener, an address that cannot be read', async (t) => {
  const refusing = await relay(t, ({ phase }) => (phase === 'auth' ? '535 5.7.8 no' : undefined), [
    'AUTH PLAIN',
  ])
  await finds(
    { FACTEUR_SMTP_URL: `smtp://ada:secret@${refusing}?tls=none` },
    'provider',
    /does not accept the user and password \(535 5\.7\.8 no\) \(at auth\)/,
    /user and password/,
  )
  const plain = await relay(t, () => undefined)
  await finds(
    { FACTEUR_SMTP_URL: `smtp://${plain}?tls=required` },
    'provider',
    /TLS is required and the peer does not offer STARTTLS/,
    /certificate|smtps/,
  )
  await finds(
    { FACTEUR_SMTP_URL: 'smtp://127.0.0.1:1' },
    'provider',
    /ECONNREFUSED.*\(at dial\)/,
    /host and port/,
  )
  await finds(
    { FACTEUR_SMTP_URL: 'http://127.0.0.1' },
    'provider',
    /begin with smtp:\/\//,
    /FACTEUR_SMTP_URL/,
  )
})

test('port: another program has it', async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => void server.close())
  const { port } = server.address() as AddressInfo
  await finds(
    { FACTEUR_PORT: String(port) },
    'port',
    new RegExp(`^another program has 127\\.0\\.0\\.1:${port}`),
    /set FACTEUR_PORT/,
  )
  await finds(
    { FACTEUR_HEALTH_PORT: String(port) },
    'health port',
    /^another program has/,
    /set FACTEUR_HEALTH_PORT/,
  )
  await finds({ FACTEUR_HOST: '192.0.2.1' }, 'port', /EADDRNOTAVAIL/, /FACTEUR_HOST/)
  const inbound = {
    FACTEUR_INBOUND_PORT: String(port),
    FACTEUR_INBOUND_HOST: '127.0.0.1',
    FACTEUR_INBOUND_DOMAIN: 'b.example',
  }
  await finds(inbound, 'inbound port', /^another program has/, /set FACTEUR_INBOUND_PORT/)
})

test('a running service: the port is its own, and doctor reports a base URL that does not lead to it', async (t) => {
  const folder = join(makeTemporaryFolder('doctor'), 'data')
  const service = await startProgram(t, { folder })
  await service.saying('Facteur is ready')
  const env = {
    DATABASE_URL: '',
    FACTEUR_MASTER_KEY: '',
    FACTEUR_DATA: folder,
    FACTEUR_PORT: String(service.port),
  }
  const { exit, check } = await examine(env)
  assert.partialDeepStrictEqual(check('port'), {
    status: 'ok',
    message: `Facteur answers on 127.0.0.1:${service.port}`,
  })
  assert.partialDeepStrictEqual(check('master key'), { status: 'ok' })
  assert.partialDeepStrictEqual(check('base URL'), { status: 'ok' })
  assert.equal(exit, 0)
  await finds(
    { ...env, FACTEUR_BASE_URL: 'http://127.0.0.1:1' },
    'base URL',
    /does not lead to this service/,
    /Set FACTEUR_BASE_URL/,
  )
})
