/**
 * The previous release and this version on one database, under load: processes of the one are replaced by those of the other, and
 * no call fails, no mail is lost or doubled.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, sql } from '../../src/db/connection/connect.ts'
import { migrationNames, migrationsFolder } from '../../src/db/connection/migration-files.ts'
import { emptyDatabase, runOn } from '../support/database.ts'
import { addressOf, checkCampaign, draftFor, readRecipients, sendOnce, whatIsNotSent } from '../support/fault-campaign.ts'
import { call, tellEnd } from '../support/fault-calls.ts'
import { checkMails, readLedger, whatDoesNotSettle } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf, startProgram, startServiceProcess, type ServiceProcess } from '../support/fault-process.ts'
import { openWorld, type Run, type World } from '../support/fault-world.ts'
import { startBalancer, type LoadBalancer } from '../support/load-balancer.ts'
import { comes, until } from '../support/until.ts'
import { readKept } from '../support/webhook-referee.ts'
import { playScenario, type Scenario } from '../faults/scenario.ts'
import { columnsOf, newValues } from './new-columns.ts'
import { previousNames, previousProgram, previousRelease, whyNoPreviousRelease } from './previous-program.ts'
import { startSteadyLoad, type LoadRecord } from './steady-load.ts'

const skip = whyNoPreviousRelease() ?? false

/** People of the campaign, and of the file that a command of the previous release imports meanwhile. */
const [people, lines] = [800, 8_000]

/** The campaign and the import last longer than the start of the new version. No hand-off is cut short, so none is in doubt. */
const settings = {
  ...{ FACTEUR_RATE_PER_SECOND: 250, FACTEUR_LEASE_SECONDS: 60, FACTEUR_INLINE_SECONDS: 10 },
  ...{ FACTEUR_RETRY_MAX_SECONDS: 60, FACTEUR_STOP_SECONDS: 30 },
}

const rollingUpgrade: Scenario = {
  name: 'rolling-upgrade',
  promise: 'the previous release and this version, one database, under load: 0 failed calls, nothing lost, nothing doubled',
  broken: [],
  async play(run) {
    const program = previousProgram()
    const world = await openPreviousWorld(run, program)
    const balancer = await startBalancer(run)
    const startOne = (version: 'previous' | 'this'): Promise<Backend> =>
      startBehind(world, balancer, version === 'previous' ? { program } : {})
    const old = [await startOne('previous'), await startOne('previous')]
    const former = await columnsOf(world.url)
    const webhooks = await subscribe(run, world, balancer.port)
    const campaign = await draftFor(world, { port: balancer.port, people })
    const importing = importFile(run, world, program)
    const sent = await sendOnce(world, balancer.port, campaign)
    if (typeof sent === 'string' || sent.status !== 202) return [`the campaign was answered ${tellEnd(sent)}`]
    const load = startSteadyLoad(world, { port: balancer.port, clients: 3 })
    await load.goesOn(40)

    // The first process of this version migrates. Then both versions serve, and the previous one stays ready.
    const fresh = [await startOne('this')]
    const before = old.map(({ port }) => balancer.answers(port))
    await load.goesOn(40)
    const together = await comes(
      () =>
        old.every(({ port }, index) => balancer.answers(port) > (before[index] ?? 0)) &&
        balancer.answers(fresh[0]?.port ?? 0) > 0,
    )
    const migrated = await runOn(world.url, 'select from compatible_migration')

    fresh.push(await startOne('this'))
    const ends: (NodeJS.Signals | number)[] = []
    for (const { port, process } of old) {
      // The release before drained nothing: its operator took it out first.
      await balancer.takeOut(port)
      process.signal('SIGTERM')
      ends.push(await process.ended)
    }
    await load.goesOn(40)

    const written = await newValues(world.url, former)
    // One goes back: the previous release starts on the migrated database, and works beside the new one.
    const back = await startOne('previous')
    await load.goesOn(40)
    const record = await load.stop()
    const left = await newValues(world.url, former)
    const lost = [...written].filter(([name, count]) => (left.get(name) ?? 0) < count)
    return [
      ...record.failures,
      ...balancer.failures,
      ...(together ? [] : ['the versions did not serve together']),
      ...(migrated.rowCount === newer.length ? [] : [`${migrated.rowCount} of ${newer.length} migrations were applied`]),
      ...(balancer.answers(back.port) > 0 ? [] : ['the previous release did not serve again']),
      ...lost.map(([name, count]) => `of ${count} values of ${name}, ${left.get(name)} are left`),
      ...ends.filter((end) => end !== 0).map((end) => `a process ended with ${end}`),
      ...(await checkEverything(world, { campaign, record, webhooks, importing })),
    ]
  },
}

const newer = skip ? [] : migrationNames(migrationsFolder).filter((name) => name > previousRelease.migration)

test(rollingUpgrade.promise, { skip }, async () => {
  assert.deepEqual(await playScenario(rollingUpgrade, { seed: 1, whole: false }), [])
})

test('the recorded release has the recorded migration as its newest, and its files are unchanged', { skip }, () => {
  const released = previousNames('migrations').filter((name) => name.endsWith('.sql'))
  assert.equal(released.at(-1), previousRelease.migration)
  const here = migrationNames(migrationsFolder).filter((name) => name <= previousRelease.migration)
  assert.deepEqual(here, released)
})

interface Backend {
  port: number
  process: ServiceProcess
}

async function startBehind(world: World, balancer: LoadBalancer, version: { program?: string }): Promise<Backend> {
  const port = await restartPort()
  balancer.add(port)
  const process = await world.start({ role: 'all', port, settings, ...version })
  await until(() => balancer.isUp(port))
  return { port, process }
}

/** The previous release makes the database, with the workspace of its first start. */
async function openPreviousWorld(run: Run, program: string): Promise<World> {
  const url = await emptyDatabase(run)
  const options = { databaseUrl: url, smtpUrl: null, failpoints: [], settings: {}, program }
  const first = await startServiceProcess({ ...options, role: 'all', port: await restartPort() })
  const apiKey = await until(() => /fct_live_\S+/.exec(first.lastLines())?.[0])
  await first.kill()
  const { rows } = await runOn(url, 'update workspace set rate_per_minute = 1000000 returning id::int')
  await runOn(url, 'update plan set monthly_quota = 1000000')
  const connection = connect({ connectionString: url, poolSize: 5 })
  run.after(() => connection.end())
  const workspaceId = Number(rows[0]?.id)
  return openWorld(run, { database: { url, connection }, workspace: { workspaceId, domain: 'demo.test', apiKey } })
}

/** A webhook whose receiver writes down what it got; answers its file. */
async function subscribe(run: Run, world: World, port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-told-'))
  run.after(async () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'calls')
  const receiver = await startProgram(join(import.meta.dirname, '../support/webhook-referee.ts'), ['--file', file])
  run.after(() => receiver.kill())
  const body = { url: `http://127.0.0.1:${receiver.firstLine}/`, events: ['email.sent'] }
  const end = await call({ url: world.addressOf(port), apiKey: world.apiKey, line: 'POST /api/v1/webhooks', body })
  if (typeof end === 'string' || end.status !== 201) throw new Error(`The webhook was not made: ${tellEnd(end)}`)
  return file
}

/** A command of the previous release that runs through the migration; answers its exit code. */
async function importFile(run: Run, { url }: World, program: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-test-import-'))
  run.after(async () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'people.csv')
  writeFileSync(file, `email\n${Array.from({ length: lines }, (_, n) => `imported-${n}@example.test`).join('\n')}\n`)
  const args = ['subscriber', 'import', '--workspace', 'demo', '--consent', 'Asked at the till', file]
  const env = settingsOf({ databaseUrl: url, port: 0, smtpUrl: null, failpoints: [], settings: {} })
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore', env: { PATH: process.env['PATH'], ...env } })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

interface Done {
  campaign: string
  record: LoadRecord
  webhooks: string
  importing: Promise<number>
}

async function checkEverything(world: World, { campaign, record, webhooks, importing }: Done): Promise<string[]> {
  const { db, workspaceId } = world
  const unfinished = [
    ...(await whatDoesNotSettle(db, workspaceId, 30_000)),
    ...(await whatIsNotSent(world, campaign, 30_000)),
    ...(await whatIsNotDelivered(world)),
  ]
  const isSingle = ({ to }: { to: string[] }): boolean => /^(?:now|later)-/.test(to[0] ?? '')
  const mails = Object.groupBy(world.mails(), (mail) => (isSingle(mail) ? 'single' : 'campaign'))
  const rows = await readLedger(db, workspaceId)
  const ids = new Set(rows.map(({ messageId }) => messageId))
  const gone = [...record.accepted].filter(([id]) => !ids.has(id)).map(([id, to]) => `gone: ${to}, accepted as ${id}`)
  const doubted = rows.filter(({ doubts }) => doubts > 0).map(({ email }) => `in doubt without a crash: ${email}`)
  const frozen = new Set(Array.from({ length: people }, (_, n) => addressOf(n + 1)))
  const imported = await db.onlyValue<number>(sql`
    select count(*) from subscriber where workspace_id = ${workspaceId} and email like 'imported-%'`)
  const singles = mails.single?.length ?? 0
  const readers = new Set(
    await db.column<string>(sql`
    select email from subscriber where workspace_id = ${workspaceId} and email like 'reader-%'`),
  )
  const forgotten = record.subscribers.filter((email) => !readers.has(email)).map((email) => `no subscriber ${email}`)
  return [
    ...[...unfinished, ...gone, ...doubted, ...forgotten],
    ...checkMails(rows, mails.single ?? []),
    ...(singles === record.accepted.size ? [] : [`${record.accepted.size} were accepted, ${singles} have arrived`]),
    ...checkCampaign(await readRecipients(world, campaign), frozen, mails.campaign ?? []),
    ...((await importing) === 0 && imported === lines ? [] : [`${imported} of ${lines} lines were imported`]),
    ...checkEvents(record, webhooks),
  ]
}

async function whatIsNotDelivered({ db, workspaceId }: World): Promise<string[]> {
  let open = 0
  const isDelivered = async (): Promise<boolean> => {
    open = await db.onlyValue<number>(sql`
      select count(*) from webhook_delivery where workspace_id = ${workspaceId} and status <> 'delivered'`)
    return open === 0
  }
  return (await comes(isDelivered)) ? [] : [`${open} calls of the webhook were not delivered`]
}

/** Each accepted mail is one event, and the receiver has it. */
function checkEvents({ accepted }: LoadRecord, file: string): string[] {
  const eventsOf = new Map<string, Set<string>>()
  for (const { id, body } of readKept(file)) {
    const { data }: { data: { email_id?: string; id?: string } } = JSON.parse(body)
    const message = data.email_id ?? data.id ?? ''
    eventsOf.set(message, (eventsOf.get(message) ?? new Set()).add(id))
  }
  return [...accepted].flatMap(([id, to]) => {
    const count = eventsOf.get(id)?.size ?? 0
    return count === 1 ? [] : [`${count} events email.sent for ${to}`]
  })
}
