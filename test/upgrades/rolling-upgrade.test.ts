/**
 * The previous release and this version on one database, under load: processes of the one are
 * replaced by those of the other, and no call fails, no mail is lost or doubled.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { connect } from '../../src/database/client/connect.ts'
import { migrationNames, migrationsFolder } from '../../src/database/schema/migration-files.ts'
import { emptyDatabase, runOn } from '../support/database.ts'
import { draftFor, sendOnce } from '../support/fault-campaign.ts'
import { call, describeEnd } from '../support/fault-calls.ts'
import { restartPort } from '../support/fault-port.ts'
import {
  settingsOf,
  startProgram,
  startServiceProcess,
  type ServiceProcess,
} from '../support/fault-process.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { startBalancer, type LoadBalancer } from '../support/load-balancer.ts'
import { comes, until } from '../support/until.ts'
import { at } from '../support/json.ts'
import { playOnce } from '../faults/scenario.ts'
import {
  checkUpgrade,
  lines,
  contactCount,
  whatIsUnfinished,
  type Evidence,
} from './check-upgrade.ts'
import { handBackTwice, startContacts } from './contacts.ts'
import { columnsOf, newValues } from './new-columns.ts'
import {
  previousNames,
  previousProgram,
  previousRelease,
  whyNoPreviousRelease,
} from './previous-program.ts'
import { startSteadyLoad } from './steady-load.ts'

const skip = whyNoPreviousRelease() ?? false

/**
 * The campaign and the import last longer than the start of the new version. No hand-off is cut
 * short, so none is in doubt.
 */
const settings = {
  ...{ FACTEUR_RATE_PER_SECOND: 250, FACTEUR_LEASE_SECONDS: 60, FACTEUR_INLINE_SECONDS: 10 },
  ...{ FACTEUR_RETRY_MAX_SECONDS: 60, FACTEUR_STOP_SECONDS: 30 },
}

const newer = skip
  ? []
  : migrationNames(migrationsFolder).filter((name) => name > previousRelease.migration)

test(
  'the previous release and this version, one database, under load: 0 failed calls, nothing lost, nothing doubled',
  { skip },
  () =>
    playOnce(async (run) => {
      const upgrade = await playUpgrade(run)
      const wrong = await checkUpgrade(upgrade)
      assert.deepEqual(
        wrong,
        [],
        `${wrong.length} broken; the processes said:\n${upgrade.output()}`,
      )
      await noticesBreaks(upgrade)
    }),
)

test(
  'the recorded release has the recorded migration as its newest, and its files are unchanged',
  { skip },
  () => {
    const released = previousNames('migrations').filter((name) => name.endsWith('.sql'))
    assert.equal(released.at(-1), previousRelease.migration)
    const here = migrationNames(migrationsFolder).filter(
      (name) => name <= previousRelease.migration,
    )
    assert.deepEqual(here, released)
  },
)

/**
 * Two processes of the previous release are replaced by two of this version; then one of the former
 * joins again.
 */
async function playUpgrade(run: Run): Promise<Upgrade> {
  const program = previousProgram()
  const world = await openPreviousWorld(run, program)
  const balancer = await startBalancer(run)
  const startOne = (version: 'previous' | 'this'): Promise<Backend> =>
    startBehind(world, balancer, version === 'previous' ? { program } : {})
  const old = [await startOne('previous'), await startOne('previous')]
  let running = [...old]
  const former = await columnsOf(world.url)
  const webhooks = await subscribe(run, world, balancer.port)
  const form = await makeForm(world, program)
  const campaign = await draftFor(world, { port: balancer.port, contacts: contactCount })
  const importing = importFile(run, world, program)
  const sent = await sendOnce(world, balancer.port, campaign)
  if (typeof sent === 'string' || sent.status !== 202)
    throw new Error(`The campaign was answered ${describeEnd(sent)}`)
  const load = startSteadyLoad(world, { port: balancer.port, clients: 3 })
  const contacts = startContacts(world, {
    port: balancer.port,
    inbound: () => running.map(({ inbound }) => inbound),
    form,
  })
  await load.goesOn(40)

  // The first process of this version migrates. Then both versions serve, and the previous one
  // stays ready.
  const fresh = await startOne('this')
  running = [...old, fresh]
  const before = old.map(({ port }) => balancer.answers(port))
  await load.goesOn(40)
  const together = await comes(
    () =>
      old.every(({ port }, index) => balancer.answers(port) > (before[index] ?? 0)) &&
      balancer.answers(fresh.port) > 0,
  )
  const migrated = await runOn(world.url, 'select from compatible_migration')

  running = [fresh, await startOne('this')]
  const ends: (NodeJS.Signals | number)[] = []
  for (const { port, process } of old) {
    // The release before drained nothing: its operator took it out first.
    await balancer.takeOut(port)
    process.signal('SIGTERM')
    ends.push(await process.ended)
  }
  await load.goesOn(40)

  const written = await newValues(world.url, former)
  // One goes back: the previous release starts on the migrated database, and works beside the new
  // one.
  const back = await startOne('previous')
  running = [back, ...running]
  await load.goesOn(40)
  const record = await load.stop()
  const left = await newValues(world.url, former)
  const lost = [...written].filter(([name, count]) => (left.get(name) ?? 0) < count)
  const failures = [
    ...record.failures,
    ...balancer.failures,
    ...(together ? [] : ['the versions did not serve together']),
    ...(migrated.rowCount === newer.length
      ? []
      : [`${migrated.rowCount} of ${newer.length} migrations were applied`]),
    ...(balancer.answers(back.port) > 0 ? [] : ['the previous release did not serve again']),
    ...lost.map(([name, count]) => `of ${count} values of ${name}, ${left.get(name)} are left`),
    ...ends.filter((end) => end !== 0).map((end) => `a process ended with ${end}`),
    ...((await importing) === 0 ? [] : ['the import failed']),
  ]
  // What is on its way arrives before its readers end.
  const unfinished = await whatIsUnfinished(world, campaign)
  const contacted = await contacts.stop()
  const output = (): string =>
    [...old, ...running].map(({ process }) => process.lastLines()).join('\n\n')
  return {
    ...{ world, balancer, back, campaign, record, webhooks, contacted, output },
    failures: [...failures, ...unfinished],
  }
}

/** What an upgrade leaves to be checked, and what still runs. */
interface Upgrade extends Evidence {
  balancer: LoadBalancer
  /** The process of the previous release that joined again. */
  back: Backend
  /** The last lines of each process. */
  output: () => string
}

interface Backend {
  port: number
  inbound: number
  process: ServiceProcess
}

async function startBehind(
  world: World,
  balancer: LoadBalancer,
  version: { program?: string },
): Promise<Backend> {
  const [port, inbound] = [await restartPort(), await restartPort()]
  balancer.add(port)
  const process = await world.start({
    ...{ role: 'all', port, ...version },
    settings: {
      ...settings,
      ...{
        FACTEUR_BASE_URL: world.addressOf(balancer.port),
        FACTEUR_INBOUND_DOMAIN: 'bounces.demo.test',
      },
      ...{ FACTEUR_INBOUND_HOST: '127.0.0.1', FACTEUR_INBOUND_PORT: inbound },
    },
  })
  await until(() => balancer.isUp(port))
  return { port, inbound, process }
}

/**
 * The checks see what they are for: each break of the same database is noticed by the check whose
 * promise it breaks.
 */
async function noticesBreaks(upgrade: Upgrade): Promise<void> {
  const { world, balancer, back, contacted, record } = upgrade
  const check = (broken: Partial<Upgrade>): Promise<string[]> =>
    checkUpgrade({ ...upgrade, ...broken })
  const without = new Map([...record.accepted].slice(1))
  assert.match(
    (await check({ record: { ...record, accepted: without } })).join('\n'),
    /were accepted, \d+ have arrived/,
  )
  const more = new Map([
    ...record.accepted,
    ['01990000-0000-7000-8000-00000000ffff', 'now-nobody@example.test'],
  ])
  assert.match(
    (await check({ record: { ...record, accepted: more } })).join('\n'),
    /gone: now-nobody/,
  )
  const mails = world.mails()
  const single = mails.find(({ to }) => to[0]?.startsWith('now-'))
  const doubled = { ...world, mails: () => [...mails, ...(single ? [single] : [])] }
  assert.match((await check({ world: doubled })).join('\n'), /doubled in silence: now-/)
  const lost = { ...world, mails: () => mails.filter((mail) => mail !== single) }
  assert.match((await check({ world: lost })).join('\n'), /lost: now-/)

  // Without what refuses it, the previous release counts a report again.
  await runOn(world.url, 'drop trigger feedback_repeated on feedback')
  const [bounced] = contacted.bounced
  const mail = mails.find(({ to }) => to[0] === bounced)
  if (mail) await handBackTwice(mail, [back.inbound])
  assert.match((await check({})).join('\n'), /reports of \d+ bounces are stored/)
  // A process that does not know the schema is not ready, and the balancer sees it.
  await runOn(world.url, 'insert into schema_migration select * from compatible_migration')
  await until(() => !balancer.isUp(back.port))
}

/** The previous release makes the database, with the workspace of its first start. */
async function openPreviousWorld(run: Run, program: string): Promise<World> {
  const url = await emptyDatabase(run)
  const options = { databaseUrl: url, smtpUrl: null, failpoints: [], settings: {}, program }
  const first = await startServiceProcess({ ...options, role: 'all', port: await restartPort() })
  const apiKey = await until(() => /fct_live_\S+/.exec(first.lastLines())?.[0])
  await first.kill()
  const { rows } = await runOn(
    url,
    'update workspace set rate_per_minute = 1000000 returning id::int',
  )
  await runOn(url, 'update plan set monthly_quota = 1000000')
  // So many bounces would suspend the workspace.
  await runOn(url, 'update workspace set reputation_bounces_min = 1000000')
  const connection = connect({ connectionString: url, poolSize: 5 })
  run.after(() => connection.end())
  const workspaceId = Number(rows[0]?.id)
  return openWorld(run, {
    database: { url, connection },
    workspace: { workspaceId, domain: 'demo.test', apiKey },
  })
}

/** A webhook whose receiver writes down what it got; answers its file. */
async function subscribe(run: Run, world: World, port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-told-'))
  run.after(async () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'calls')
  const receiver = await startProgram(join(import.meta.dirname, '../support/webhook-referee.ts'), [
    '--file',
    file,
  ])
  run.after(() => receiver.kill())
  const body = {
    url: `http://127.0.0.1:${receiver.firstLine}/`,
    events: ['email.sent', 'email.bounced', 'email.opened', 'email.clicked'],
  }
  const end = await call({
    url: world.addressOf(port),
    apiKey: world.apiKey,
    line: 'POST /api/v1/webhooks',
    body,
  })
  if (typeof end === 'string' || end.status !== 201)
    throw new Error(`The webhook was not made: ${describeEnd(end)}`)
  return file
}

/** A sign-up form, made by the previous release; answers its path. */
async function makeForm(world: World, program: string): Promise<string> {
  const created = spawn(
    process.execPath,
    [program, 'form', 'create', 'News', '--workspace', 'demo', '--json'],
    {
      ...{ stdio: ['ignore', 'pipe', 'inherit'], env: commandSettings(world) },
    },
  )
  return new URL(String(at(await json(created.stdout), 'url'))).pathname
}

/** A command of the previous release that runs through the migration; answers its exit code. */
async function importFile(run: Run, world: World, program: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-import-'))
  run.after(async () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'people.csv')
  writeFileSync(
    file,
    `email\n${Array.from({ length: lines }, (_, n) => `imported-${n}@example.test`).join('\n')}\n`,
  )
  const args = [
    'subscriber',
    'import',
    '--workspace',
    'demo',
    '--consent',
    'Asked at the till',
    file,
  ]
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'ignore',
    env: commandSettings(world),
  })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

const commandSettings = ({ url }: World): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...settingsOf({ databaseUrl: url, port: 0, smtpUrl: null, failpoints: [], settings: {} }),
})
