/**
 * A start that cannot work prints one line per cause on standard error and exits with 1, before it
 * makes or changes anything.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { selfSigned } from '../support/certificates.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { emptyDatabase, freshDatabase, runOn } from '../support/database.ts'
import { databaseHome, startProgram, type ProgramOptions, type Scope } from '../support/service.ts'
import { withDatabase } from '../../src/database/embedded/embedded-postgres.ts'
import { until } from '../support/until.ts'

const folder = join(makeTemporaryFolder('refusals'), 'data')
const masterKey = Buffer.alloc(32, 7).toString('base64')

/** Starts, waits for the end, and answers the one line that is not progress. */
async function refusal(scope: Scope, options: ProgramOptions): Promise<string> {
  const [line = '', ...others] = await refusals(scope, options)
  assert.deepEqual(others, [])
  return line
}

/** The same with all lines. */
async function refusals(scope: Scope, options: ProgramOptions): Promise<string[]> {
  const service = await startProgram(scope, options)
  assert.equal((await service.ended).code, 1, service.output())
  const lines = service.output().trim().split('\n')
  const refused = lines.filter(
    (line) =>
      !/^(Starting the database|Making the database|Preparing the tables)/.test(line) &&
      !line.startsWith('{'),
  )
  assert.doesNotMatch(service.output(), /^\s+at /m)
  return refused
}

async function startsWell(scope: Scope): Promise<void> {
  const service = await startProgram(scope, { folder })
  await service.saying('Facteur is ready')
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
}

test('a port in use', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.after(() => void other.close())
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  assert.match(
    await refusal(t, { folder, env: { FACTEUR_PORT: port } }),
    new RegExp(`127.0.0.1:${port}: another program has this port`),
  )
  assert.equal(existsSync(folder), false)
  await startsWell(t)
})

test("an address that is not this machine's, and a name that no address has: neither makes a data folder", async (t) => {
  const none = join(makeTemporaryFolder('refusals'), 'data')
  const refusalOf = (host: string) => refusal(t, { folder: none, env: { FACTEUR_HOST: host } })
  assert.match(
    await refusalOf('203.0.113.9'),
    /^Cannot listen on 203.0.113.9:\d+: this machine has no such address; set FACTEUR_HOST.$/,
  )
  assert.match(
    await refusalOf('nowhere.invalid'),
    /^Cannot listen on nowhere.invalid:\d+: the name .* set FACTEUR_HOST/,
  )
  assert.match(
    await refusal(t, {
      folder: none,
      env: { FACTEUR_INBOUND_HOST: '203.0.113.9', FACTEUR_INBOUND_PORT: '2525' },
    }),
    /^Cannot listen on 203.0.113.9:2525: .* set FACTEUR_INBOUND_HOST.$/,
  )
  assert.equal(existsSync(none), false)
})

test('folders in which nothing can be made: refused, and not looked for without end', async (t) => {
  for (const odd of ['/proc/x', '/proc/x/y', '/dev/null/x'])
    assert.match(
      await refusal(t, { folder: odd }),
      /^The data folder \S+ cannot be used \(\w+\): set FACTEUR_DATA/,
      odd,
    )
})

test('a file in place of the data folder', async (t) => {
  const file = join(makeTemporaryFolder('refusals'), 'data')
  writeFileSync(file, 'mine')
  assert.match(
    await refusal(t, { folder: file }),
    /data folder .* cannot be used \(EEXIST\): set FACTEUR_DATA/,
  )
  assert.match(
    await refusal(t, { folder: join(file, 'below') }),
    /data folder .* cannot be used \(ENOTDIR\)/,
  )
  assert.equal(readFileSync(file, 'utf8'), 'mine')
})

test('a data folder of a newer PostgreSQL', async (t) => {
  const version = join(databaseHome(folder), 'cluster', 'PG_VERSION')
  writeFileSync(version, '19\n')
  assert.match(await refusal(t, { folder }), /of a newer version: PostgreSQL 19/)
  writeFileSync(version, '18\n')
  await startsWell(t)
})

test('a data folder of a newer Facteur', async (t) => {
  const change = (statement: string) => withDatabase({ folder }, (url) => runOn(url, statement))
  await change(
    "insert into schema_migration values ('9999_from_the_future.sql', 'x', clock_timestamp())",
  )
  assert.match(
    await refusal(t, { folder }),
    /newer version of Facteur \(it has 9999_from_the_future.sql\)/,
  )
  await change("delete from schema_migration where name like '9999%'")
  await startsWell(t)
})

test('a master key that is lost, or another one', async (t) => {
  const file = join(folder, 'master.key')
  renameSync(file, `${file}.kept`)
  assert.match(await refusal(t, { folder }), /master.key is missing: put it back/)
  assert.match(
    await refusal(t, { folder, env: { FACTEUR_MASTER_KEY: masterKey } }),
    /FACTEUR_MASTER_KEY is not the key/,
  )
  renameSync(`${file}.kept`, file)
  await startsWell(t)
})

test('a wrong DATABASE_URL: no listener, an unknown database, a wrong password, not an address', async (t) => {
  const { url } = await freshDatabase(t)
  const refusalOf = (address: string) =>
    refusal(t, { env: { DATABASE_URL: address, FACTEUR_MASTER_KEY: masterKey } })
  assert.match(
    await refusalOf('postgres://me:secret@127.0.0.1:1/x'),
    /^DATABASE_URL: nothing listens there \(127\.0\.0\.1:1\/x\)$/,
  )
  assert.match(await refusalOf(url.replace(/\/[^/?]+\?/, '/nowhere?')), /has no such database/)
  assert.match(
    await refusalOf(url.replace(/facteur:[^@]+@/, 'facteur:wrong@')),
    /user or password are wrong/,
  )
  assert.match(await refusalOf('mysql://127.0.0.1/x'), /DATABASE_URL: expected an address/)
})

test('a wrong DATABASE_URL of several hosts: each with the words of one, and no part of the password', async (t) => {
  const { url } = await freshDatabase(t)
  const { pathname, searchParams } = new URL(url.replace('@/', '@localhost/'))
  const refusalOf = (login: string, database: string) => {
    const hosts = `host=${searchParams.get('host')},127.0.0.1&port=5432,1`
    return refusal(t, {
      env: {
        DATABASE_URL: `postgres://${login}@${database}?${hosts}`,
        FACTEUR_MASTER_KEY: masterKey,
      },
    })
  }
  const nothing = String.raw`127\.0\.0\.1:1: nothing listens there`
  const both = (reason: string) => {
    const first = String.raw`\/\S+:5432: ${reason}`
    return new RegExp(
      `^DATABASE_URL: No server takes writes: (${first}; ${nothing}|${nothing}; ${first})$`,
    )
  }
  assert.match(await refusalOf('facteur:wr@ng', pathname), both('user or password are wrong'))
  assert.match(
    await refusalOf(/facteur:[^@]+/.exec(url)?.[0] ?? '', '/nowhere'),
    both('the server has no such database'),
  )
})

test('an external database without a master key', async (t) => {
  const { url } = await freshDatabase(t)
  assert.match(
    await refusal(t, { env: { DATABASE_URL: url } }),
    /FACTEUR_MASTER_KEY is needed with DATABASE_URL/,
  )
})

const tablesOf = async (url: string): Promise<string[]> => {
  const { rows } = await runOn(
    url,
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  return rows.map(({ name }: { name: string }) => name)
}

test('no master key, a wrong certificate, a wrong setting: the external database stays without tables', async (t) => {
  const url = await emptyDatabase(t)
  const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: masterKey }
  const [first, second] = [selfSigned(['a.example']), selfSigned(['b.example'])]
  const path = makeTemporaryFolder('refusals')
  const file = (name: string, text: string): string => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  }
  const [cert, key, wrongKey] = [
    file('cert.pem', first.cert),
    file('key.pem', first.key),
    file('wrong.pem', second.key),
  ]
  const certificate = (certFile: string, keyFile: string) => ({
    ...env,
    ...{ FACTEUR_INBOUND_TLS_CERT: certFile, FACTEUR_INBOUND_TLS_KEY: keyFile },
  })
  assert.match(await refusal(t, { env: { DATABASE_URL: url } }), /^FACTEUR_MASTER_KEY is needed/)
  assert.match(
    await refusal(t, { env: certificate(cert, wrongKey) }),
    /^FACTEUR_INBOUND_TLS_KEY: .*wrong.pem is not the key of/,
  )
  assert.match(
    await refusal(t, { env: certificate(key, key) }),
    /^FACTEUR_INBOUND_TLS_CERT: .*key.pem holds no certificate/,
  )
  assert.match(
    await refusal(t, { env: certificate(cert, cert) }),
    /^FACTEUR_INBOUND_TLS_KEY: .*cert.pem holds no private key/,
  )
  assert.match(
    await refusal(t, { env: certificate('/nowhere', key) }),
    /^FACTEUR_INBOUND_TLS_CERT names no file that can be read \(ENOENT\)\. (?!.*nowhere)/,
  )
  const google = (keyFile: string) => ({ ...env, FACTEUR_GOOGLE_POSTMASTER_KEY: keyFile })
  assert.match(
    await refusal(t, { env: google(key) }),
    /^FACTEUR_GOOGLE_POSTMASTER_KEY: .*key.pem holds no key of a service account/,
  )
  assert.match(
    await refusal(t, { env: google('/nowhere') }),
    /^FACTEUR_GOOGLE_POSTMASTER_KEY names no file that can be read \(ENOENT\)\. (?!.*nowhere)/,
  )
  assert.match(
    await refusal(t, { env: { ...env, FACTEUR_FAILPOINTS: 'sometimes' } }),
    /^FACTEUR_FAILPOINTS: "sometimes" is not/,
  )
  assert.match(
    await refusal(t, { env: { ...env, FACTEUR_SMTP_URL: 'http://a' } }),
    /^FACTEUR_SMTP_URL: begin with smtp/,
  )
  assert.deepEqual(await tablesOf(url), [])
})

test('a database that is sealed with another key: a start and a command leave its schema as it is', async (t) => {
  const url = await emptyDatabase(t)
  await runOn(
    url,
    'create table installation (only_row boolean, master_key_fingerprint text, created_at timestamptz)',
  )
  await runOn(url, "insert into installation values (true, 'of another key', clock_timestamp())")
  const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: masterKey }
  for (const args of [['start'], ['migrate'], ['workspace', 'list']])
    assert.match(
      await refusal(t, { env, args }),
      /^FACTEUR_MASTER_KEY is not the key/,
      args.join(' '),
    )
  assert.deepEqual(await tablesOf(url), ['installation'])
})

test('several wrong settings and names are reported together, one line each', async (t) => {
  const wrong = {
    FACTEUR_SMPT_URL: 'smtp://relay.example',
    FACTUER_PORT: '3025',
    FACTEUR_COLOUR: 'red',
    FACTEUR_SPF: 'ip4:999',
    FACTEUR_BASE_URL: 'https://example.com/mail',
    FACTEUR_LEASE_SECONDS: '1',
    FACTEUR_RETRY_FIRST_SECONDS: '20000',
    FACTEUR_HOST: '203.0.113.9',
    FACTEUR_INBOUND_TLS_CERT: '/nowhere',
    FACTEUR_INBOUND_TLS_KEY: '/nowhere',
    FACTEUR_PROVIDER: 'amazon-ses',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  }
  const lines = await refusals(t, { env: wrong })
  for (const line of [
    'FACTEUR_SMPT_URL is no setting of Facteur: did you mean FACTEUR_SMTP_URL?',
    'FACTUER_PORT is no setting of Facteur: did you mean FACTEUR_PORT?',
    'FACTEUR_COLOUR is no setting of Facteur: take it away, or see .env.example',
    'FACTEUR_SPF is "ip4:999": expected terms of SPF, such as ip4:192.0.2.10 or include:spf.relay.example',
    'FACTEUR_BASE_URL is "https://example.com/mail": expected an address without a path, such as https://mail.example.com',
    'FACTEUR_LEASE_SECONDS is "1": expected a number from 2 to 3600',
    'FACTEUR_RETRY_FIRST_SECONDS is "20000": expected at most FACTEUR_RETRY_MAX_SECONDS, which is 14400',
    'FACTEUR_INBOUND_TLS_CERT names no file that can be read (ENOENT). Its value is not shown, since it may be the secret.',
  ])
    assert.ok(lines.includes(line), `${line}\n\n${lines.join('\n')}`)
  for (const begin of [
    'Cannot listen on 203.0.113.9',
    'FACTEUR_SES_REGION',
    'FACTEUR_MASTER_KEY is needed',
  ])
    assert.ok(
      lines.some((line) => line.startsWith(begin)),
      `${begin}\n\n${lines.join('\n')}`,
    )
  assert.equal(lines.length, 11, lines.join('\n'))
})

test('names of our own that others read, and those by which Kubernetes describes a service, stop nothing', async (t) => {
  const env = {
    ...{
      FACTEUR_KEY: 'fct_live_x',
      FACTEUR_WEBHOOK_SECRET: 'whsec_x',
      FACTEUR_DATABASE_PASSWORD: 'x',
    },
    ...{
      FACTEUR_SERVICE_HOST: '10.0.0.1',
      FACTEUR_SERVICE_PORT_HTTP: '3025',
      FACTEUR_PORT_3025_TCP_ADDR: '10.0.0.1',
    },
    ...{ FACTEUR_DB_PORT: 'tcp://10.0.0.2:5432', FACTEUR_SMPT_URL: '' },
  }
  const service = await startProgram(t, { folder, env })
  await service.saying('Facteur is ready')
})

/** Holds what a start needs until the test ends; the start has to wait for it. */
async function paused(t: Scope, url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  await client.query(statement)
}

/**
 * With an hour to stop, a start that is not cancelled would be left behind after half of it: the
 * last one alone cannot be cancelled.
 */
for (const [what, statement, stopSeconds] of [
  ['the migrations of another process', 'select pg_advisory_lock(7305202)', '3600'],
  ['a lock on a table', 'begin; lock table schema_migration in access exclusive mode', '3600'],
  [
    'a lock on a table that is read before the migrations',
    'begin; lock table installation in access exclusive mode',
    '2',
  ],
] as const) {
  test(`SIGTERM while the start waits for ${what} ends it`, async (t) => {
    const { url } = await freshDatabase(t)
    await paused(t, url, statement)
    const env = {
      DATABASE_URL: url,
      FACTEUR_MASTER_KEY: masterKey,
      FACTEUR_STOP_SECONDS: stopSeconds,
    }
    const service = await startProgram(t, { env })
    await untilWaiting(url)
    service.child.kill('SIGTERM')
    assert.deepEqual(await service.ended, { code: 0, signal: null })
    assert.doesNotMatch(service.output(), /Facteur is ready/)
  })
}

/** Until a connection of a start asks for what another one holds. */
async function untilWaiting(url: string): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and (wait_event_type = 'Lock' or query like '%pg_try_advisory_lock%' and application_name = 'facteur migrate')"
  await until(
    () => runOn(url, waiting),
    ({ rowCount }) => rowCount !== 0,
  )
}

test('settings that cannot be: the variable, its value and what is expected', async (t) => {
  assert.match(
    await refusal(t, { env: { FACTEUR_PORT: 'http' } }),
    /^FACTEUR_PORT is "http": expected a number from 0 to 65535$/,
  )
  assert.match(await refusal(t, { args: ['start', '--role', 'cook'] }), /no role "cook"/)
})
