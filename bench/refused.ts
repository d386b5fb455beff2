/**
 * What refused calls of one workspace cost another: the rate of `POST /emails` of a workspace, in
 * turns alone and while another one, whose quota is used up, makes some 200 calls a second
 * (`--callers`) on the same process. The ratio is the median over all rounds; below 0.9 it exits
 * with 1. It also counts the connections to PostgreSQL that a hundred refused calls open.
 */
import { parseArgs } from 'node:util'
import { connect } from '../src/database/client/connect.ts'
import { sql } from '../src/database/client/sql.ts'
import { createOperator } from '../test/cli/facteur.ts'
import { at } from '../test/support/json.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { runLoad, type Measured } from './accept/load.ts'
import { apiSettings, makeLogFiles, sendMessage, startMeasuredApi } from './accept/measured-api.ts'
import { median } from './accept/median.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '10' },
    callers: { type: 'string', default: '10' },
  },
})
const say = (line: string): void => (values.json ? console.error(line) : console.log(line))
const runMs = 4_000
const ratioMin = 0.9

const postgres = await startPostgres({ durable: true })
const api = await startMeasuredApi(postgres.connectionString)
const db = connect({ connectionString: postgres.connectionString, poolSize: 1 })
const facteur = createOperator(apiSettings(postgres.connectionString))
await facteur.json(['workspace', 'create', 'Over its quota'])
const of = ['--workspace', 'over-its-quota']
await facteur.json(['domain', 'add', ...of, 'over.test'])
await facteur.json(['domain', 'verify', ...of, '--force', 'over.test'])
await facteur.json(['plan', 'set', ...of, '--name', 'used-up', '--monthly', '0'])
const key = String(
  at(
    await facteur.json(['key', 'create', ...of, '--name', 'bench', '--scopes', 'emails:send']),
    'key',
  ),
)
// Every request is counted against the rate; none is to be refused by it.
await db.count(sql`update workspace set rate_per_minute = 100000000`)
await makeLogFiles(postgres)

/** Of a workspace that rests between its calls: together they leave the process some time. */
const send = (ms: number): Promise<Measured> =>
  runLoad({ port: api.port, connections: 16, ms, restMs: 20, request: sendMessage(api) })
const beRefused = (ms: number): Promise<Measured> =>
  runLoad({
    ...{ port: api.port, connections: Number(values.callers), ms, restMs: 45 },
    request: sendMessage({ port: api.port, key }, 'Over <hello@over.test>'),
  })
const openedSoFar = (): Promise<number> =>
  db.onlyValue<number>(
    sql`select sessions::int8 from pg_stat_database where datname = current_database()`,
  )

say('Warming up for 15 s')
await Promise.all([send(12_000), beRefused(12_000)])
const ratios: number[] = []
let [refused, opened] = [0, 0]
for (let round = 0; round < Number(values.rounds); round++) {
  const alone = await send(runMs)
  const openedBefore = await openedSoFar()
  const [beside, other] = await Promise.all([send(runMs), beRefused(runMs)])
  opened += (await openedSoFar()) - openedBefore
  refused += other.refused
  if (alone.refused + beside.refused > 0 || other.refused < other.answered - Number(values.callers))
    throw new Error(
      `The wrong calls were refused: ${alone.firstRefusal || beside.firstRefusal || other.firstRefusal}`,
    )
  ratios.push(beside.perSecond / alone.perSecond)
  say(
    `${alone.perSecond}/s alone, ${beside.perSecond}/s beside ${other.perSecond} refused calls a second (p99 ${alone.p99Ms} and ${beside.p99Ms} ms)`,
  )
}
const ratio = Math.round(median(ratios) * 100) / 100
const connections = Math.round((opened / refused) * 1000) / 10
say(
  `ratio ${ratio} (at least ${ratioMin}); ${connections} connections opened for 100 refused calls`,
)
await Promise.all([api.stop(), db.end()])
await postgres.stop()
if (values.json)
  console.log(JSON.stringify({ bench: 'refused', ratio, connections_per_100: connections }))
if (ratio < ratioMin) process.exitCode = 1
