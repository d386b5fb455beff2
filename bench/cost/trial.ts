/**
 * One tree at work: its API and worker on one database with the capture provider, and all roles in
 * one process with a relay on another database of the same PostgreSQL. Only what every release
 * promises is used: the command line, the API and the log of the first start.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { withDatabaseName } from '../../test/support/database.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import type { Sink } from '../../test/support/smtp-sink.ts'
import { runLoad } from '../accept/load.ts'
import { makeLogFiles, postMessage } from '../accept/measured-api.ts'
import { cpuOfPostgres, cpuOfTree, startProgram, type Measurable } from '../accept/processes.ts'
import { program, runFacteur, type Tree } from './tree.ts'

/** Of one mail; processor time in microseconds. */
export interface Cost {
  facteurUs: number
  postgresUs: number
  logBytes: number
  diskBytes: number
  perSecond: number
  /** Of a call; 0 for a campaign, whose mails are no calls. */
  p50Ms: number
  p99Ms: number
}

export const ways = [
  'post_1',
  'post_16',
  'post_64',
  'post_16_with_worker',
  'relayed',
  'campaign',
] as const
export type Way = (typeof ways)[number]

export interface Trial {
  tree: Tree
  measure(way: Way): Promise<Cost>
  stop(): Promise<void>
}

interface Service extends Measurable {
  port: number
  key: string
}

/** Milliseconds of one run, beside a quarter of it that no latency counts. */
const runMs = 2_500
const warmUpMs = 12_000

export async function startTrial(
  tree: Tree,
  { sink, mails }: { sink: Sink; mails: number },
): Promise<Trial> {
  const postgres = await startPostgres({ durable: true })
  const urlOf = (name: string): string => withDatabaseName(postgres.connectionString, name)
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  for (const name of ['captured', 'relayed']) await client.query(`create database ${name}`)
  const [captured, relayed] = [
    settings(urlOf('captured')),
    { ...settings(urlOf('relayed')), ...relay(sink.port) },
  ]
  const api = await startService(tree, captured, ['--role', 'api'])
  const whole = await startService(tree, relayed, [])
  for (const env of [captured, relayed])
    runFacteur(tree, ['workspace', 'set', 'demo', '--rate-per-minute', '1000000'], env)
  await makeLogFiles(postgres)

  const state = { tree, postgres, client, api, whole, sink, mails }
  for (const connections of [16, 64]) await post(state, api, connections, warmUpMs)
  await addSubscribers(whole, mails)
  return {
    tree,
    async measure(way) {
      if (way === 'campaign') return sendCampaign(state)
      if (way === 'relayed') return post(state, whole, 64, runMs)
      if (way !== 'post_16_with_worker')
        return post(state, api, Number(way.slice('post_'.length)), runMs)
      const worker = await startProgram(
        [program(tree.folder), 'start', '--role', 'worker'],
        captured,
        isReady,
      )
      // What the other runs left is captured first.
      await untilAtRest([worker.pid], postgres)
      const cost = await post(state, { ...api, more: [worker.pid] }, 16, runMs)
      await worker.stop()
      return cost
    },
    async stop() {
      await Promise.all([api.stop(), whole.stop(), client.end()])
      await postgres.stop()
    },
  }
}

type State = {
  postgres: TestPostgres
  client: pg.Client
  whole: Service
  sink: Sink
  mails: number
}

const settings = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
})

const relay = (port: number): Record<string, string> => ({
  FACTEUR_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
  FACTEUR_SMTP_CONNECTIONS: '64',
})

const isReady = (line: string): boolean => line.includes('"msg":"ready"')

async function startService(
  tree: Tree,
  env: Record<string, string>,
  flags: string[],
): Promise<Service> {
  const port = await freePort()
  let key = ''
  const process = await startProgram(
    [program(tree.folder), 'start', ...flags],
    { ...env, FACTEUR_PORT: String(port) },
    (line) => {
      key ||= /fct_live_\w+/.exec(line)?.[0] ?? ''
      return isReady(line)
    },
  )
  return { ...process, port, key }
}

async function addSubscribers(service: Service, count: number): Promise<void> {
  for (let from = 0; from < count; from += 64) {
    const numbers = Array.from({ length: Math.min(64, count - from) }, (_, at) => from + at)
    await Promise.all(
      numbers.map((number) => {
        const [email, firstName] = [`person${number}@example.com`, `Person${number}`]
        return ask(service, 'POST /subscribers', { email, firstName, double_opt_in: false })
      }),
    )
  }
}

/** Calls of one recipient and 2 KB, until nothing of them is left to do. */
async function post(
  state: State,
  service: Service & { more?: number[] },
  connections: number,
  ms: number,
): Promise<Cost> {
  const { port, key, pid, more = [] } = service
  const request = postMessage(port, '/api/v1/emails', `Authorization: Bearer ${key}\r\n`)
  return costOf(state, [pid, ...more], async () => {
    const run = await runLoad({ port, connections, ms, request })
    if (run.refused > 0) throw new Error(`${run.refused} calls were refused: ${run.firstRefusal}`)
    return { mails: run.answered, perSecond: run.perSecond, p50Ms: run.p50Ms, p99Ms: run.p99Ms }
  })
}

/** About 5 KB as it leaves; as many mails have to arrive at the relay as there are subscribers. */
async function sendCampaign(state: State): Promise<Cost> {
  const { whole, sink, mails } = state
  const path = `/campaigns/${String((await ask(whole, 'POST /campaigns', campaign))['id'])}`
  return costOf(state, [whole.pid], async () => {
    const [began, before] = [performance.now(), sink.messages()]
    await ask(whole, `POST ${path}/send`)
    while (sink.messages() - before < mails) await setTimeout(10)
    const seconds = (performance.now() - began) / 1_000
    while ((await ask(whole, `GET ${path}`))['status'] !== 'sent') await setTimeout(100)
    if (sink.messages() - before !== mails)
      throw new Error(`${sink.messages() - before} mails of ${mails} arrived`)
    return { mails, perSecond: Math.round(mails / seconds), p50Ms: 0, p99Ms: 0 }
  })
}

const sentence = 'Seven things are new this month, and all of them are told in two minutes. '
const campaign = {
  name: 'Bench',
  subject: 'News for {{firstName | default: "you"}}',
  text: `Hello {{firstName | default: "you"}}\n\n${`${sentence.repeat(2)}\n\nhttps://example.com/news\n\n`.repeat(12)}`,
}

type Run = Pick<Cost, 'perSecond' | 'p50Ms' | 'p99Ms'> & { mails: number }

async function costOf(
  { postgres, client }: State,
  pids: number[],
  send: () => Promise<Run>,
): Promise<Cost> {
  const read = async (): Promise<
    [facteur: number, postgres: number, log: number, disk: number]
  > => {
    const { rows } = await client.query<{ log: number; disk: number }>(`
      select (pg_current_wal_lsn() - '0/0')::float8 as log, sum(pg_database_size(oid))::float8 as disk from pg_database`)
    return [
      sum(pids.map(cpuOfTree)),
      cpuOfPostgres(postgres.pid()),
      rows[0]?.log ?? 0,
      rows[0]?.disk ?? 0,
    ]
  }
  await untilAtRest(pids, postgres)
  await client.query('checkpoint')
  const before = await read()
  const { mails, ...speed } = await send()
  await untilAtRest(pids, postgres)
  const after = await read()
  const each = (at: 0 | 1 | 2 | 3): number => Math.round((after[at] - before[at]) / mails)
  return {
    facteurUs: each(0),
    postgresUs: each(1),
    logBytes: each(2),
    diskBytes: each(3),
    ...speed,
  }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

/** A second in which the processes and PostgreSQL use less than a tenth of a processor. */
async function untilAtRest(pids: number[], postgres: TestPostgres): Promise<void> {
  const used = (): number => sum(pids.map(cpuOfTree)) + cpuOfPostgres(postgres.pid())
  for (;;) {
    const before = used()
    await setTimeout(1_000)
    if (used() - before < 100_000) return
  }
}

async function ask(
  { port, key }: Service,
  line: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = line.split(' ')
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok)
    throw new Error(`${line} was answered ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
