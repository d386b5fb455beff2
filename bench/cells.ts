/**
 * What a cluster costs and gives: `POST /emails` and a campaign with four workspaces in one plain
 * PostgreSQL, in one cell on a node of a Citus cluster, and in four cells on two nodes. The
 * yardstick is the plain PostgreSQL, of the same version on the same servers, in rounds that take
 * turns. On one machine the nodes share its processors: the rates say what the coordinator costs,
 * and the processor time of a mail what a second machine could take over.
 *
 * FACTEUR_TEST_CLUSTER names the script that starts the servers (CONTRIBUTING.md). They keep what
 * they commit.
 */
import { parseArgs } from 'node:util'
import { NoCluster, startNodes } from '../test/cluster/start-nodes.ts'
import { startSink, whyNoSink } from '../test/support/smtp-sink.ts'
import { runLoad } from './accept/load.ts'
import { postMessage } from './accept/measured-api.ts'
import { median } from './accept/median.ts'
import { cpuOf, cpuOfPostgres } from './accept/processes.ts'
import { sendAll, type Shop } from './campaign/world.ts'
import {
  closeSide,
  openShops,
  openSide,
  postmastersOf,
  sideNames,
  startService,
  workspacesOfSide,
  type Service,
  type Side,
} from './cells/sides.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    recipients: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '1,16,64' },
    ms: { type: 'string', default: '2500' },
  },
})
const [rounds, recipients, ms] = [values.rounds, values.recipients, values.ms].map(Number) as [
  number,
  number,
  number,
]
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))

const script = process.env['FACTEUR_TEST_CLUSTER']
// The services know no such setting.
delete process.env['FACTEUR_TEST_CLUSTER']
const nodes = await startNodes(script, { durable: true }).catch((error: unknown) => {
  if (!(error instanceof NoCluster)) throw error
  console.error(`cells: ${error.message}; nothing was measured`)
  process.exit(2)
})
const postmasters = await postmastersOf(nodes)

interface Run {
  perSecond: number
  /** Processor time of a mail in microseconds, of the service and of all servers. */
  cpuUs: number
  postgresCpuUs: number
}

/** `work` answers how many mails it made and how many a second. */
async function measured(
  { pid }: Service,
  work: () => Promise<{ mails: number; perSecond: number }>,
): Promise<Run> {
  const now = (): [number, number] => [
    cpuOf(pid),
    postmasters.reduce((sum, postmaster) => sum + cpuOfPostgres(postmaster), 0),
  ]
  const before = now()
  const { mails, perSecond } = await work()
  const after = now()
  const per = (at: 0 | 1): number => Math.round((after[at] - before[at]) / mails)
  return { perSecond: Math.round(perSecond), cpuUs: per(0), postgresCpuUs: per(1) }
}

/**
 * Each side once in each round, another one first. Answers the figures by side, with the ratio to
 * the plain one of the same round.
 */
async function compare(
  title: string,
  run: (side: Side) => Promise<Run>,
): Promise<Record<string, object>> {
  const runs = new Map(sides.map((side) => [side, [] as Run[]]))
  for (let round = -1; round < rounds; round++)
    for (const at of sides.keys()) {
      const side = sides[(at + Math.max(0, round)) % sides.length]!
      const result = await run(side)
      // The first round compiles and plans.
      if (round >= 0) runs.get(side)?.push(result)
    }
  const yardstick = runs.get(sides[0]!) ?? []
  const figures: Record<string, object> = {}
  for (const [side, result] of runs) {
    const of = (read: (item: Run, at: number) => number): number => median(result.map(read))
    const ratio =
      Math.round(100 * of((item, at) => item.perSecond / (yardstick[at]?.perSecond ?? NaN))) / 100
    const figure = {
      ratio,
      per_second: of((item) => item.perSecond),
      cpu_us: of((item) => item.cpuUs),
      postgres_cpu_us: of((item) => item.postgresCpuUs),
    }
    figures[side.name] = figure
    say(
      `${title}, ${side.name.padEnd(10)} ${figure.per_second}/s, ratio ${ratio}, CPU ${figure.cpu_us} + PostgreSQL ${figure.postgres_cpu_us} µs a mail`,
    )
  }
  return figures
}

const sides: Side[] = []
for (const name of sideNames) sides.push(await openSide(nodes, name))
const figures: Record<string, unknown> = {}

const startAll = async (
  words: string[],
  settings?: Record<string, string>,
): Promise<Map<Side, Service>> =>
  new Map(
    await Promise.all(
      sides.map(async (side) => [side, await startService(side, words, settings)] as const),
    ),
  )

if (whyNoSink === null) {
  const sink = await startSink()
  const services = await startAll([], {
    FACTEUR_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=none`,
    FACTEUR_SMTP_CONNECTIONS: '50',
  })
  figures['campaign'] = await compare(`campaign of ${recipients}`, async (side) => {
    const service = services.get(side)!
    const shops = await openShops(side, service.baseUrl, recipients)
    return measured(service, async () => {
      const sent = await Promise.all(
        shops.map((shop, at) => sendAll(side.places[at]!.db, service.baseUrl, shop)),
      )
      return {
        mails: recipients,
        perSecond: recipients / Math.max(...sent.map(({ seconds }) => seconds)),
      }
    })
  })
  for (const service of services.values()) await service.stop()
  sink.stop()
} else say(`campaign: ${whyNoSink}; not measured`)

const services = await startAll(['--role', 'api'])
const shopsOf = new Map<Side, Shop[]>()
for (const side of sides)
  shopsOf.set(side, await openShops(side, services.get(side)!.baseUrl, workspacesOfSide))
for (const connections of values.connections.split(',').map(Number))
  figures[`accept_${connections}`] = await compare(`POST /emails at ${connections}`, (side) => {
    const service = services.get(side)!
    const requests = (shopsOf.get(side) ?? []).map(({ key, domain }) =>
      postMessage(
        service.port,
        '/api/v1/emails',
        `Authorization: Bearer ${key}\r\n`,
        `hello@${domain}`,
      ),
    )
    return measured(service, async () => {
      const { answered, perSecond, refused, firstRefusal } = await runLoad({
        ...{ port: service.port, connections, ms },
        request: (sequence) => requests[sequence % requests.length]!(sequence),
      })
      if (refused > 0) throw new Error(`${refused} requests were refused: ${firstRefusal}`)
      return { mails: answered, perSecond }
    })
  })
for (const service of services.values()) await service.stop()
for (const side of sides) await closeSide(side)
nodes.stop()
if (values.json) console.log(JSON.stringify({ bench: 'cells', figures }))
