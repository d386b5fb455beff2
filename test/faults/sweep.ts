/**
 * `npm run sweep [-- NAME…] [--seed N] [--rounds N] [--small]`: the crash sweep, whole, on a PostgreSQL of its own. Then each broken
 * variant in its small size, which must be noticed. `--broken FAILPOINT` plays only that one and prints what it broke.
 *
 * Without a seed each round draws another one and says so. Ends with 1 when a promise was broken, or a broken variant not noticed.
 */
import { parseArgs } from 'node:util'
import { migrate } from '../../src/db/connection/migrate.ts'
import { ADMIN_URL, runOn, TEMPLATE, withDatabaseName } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { isNoticed, playScenario, replayLine, type Playing, type Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    broken: { type: 'string' },
    small: { type: 'boolean', default: false },
  },
})

const unknown = positionals.find((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}: ${scenarios.map(({ name }) => name).join(', ')}`)

const postgres = await startPostgres({ durable: false })
try {
  const admin = withDatabaseName(postgres.connectionString, 'postgres')
  await runOn(admin, `create database ${TEMPLATE}`)
  await migrate(withDatabaseName(admin, TEMPLATE))
  process.env[ADMIN_URL] = admin
  process.exitCode = (await sweep()) ? 0 : 1
} finally {
  await postgres.stop()
}

/** Whether every promise was kept. */
async function sweep(): Promise<boolean> {
  let kept = true
  for (let round = 0; round < Number(values.rounds); round++) {
    const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed) + round
    for (const scenario of scenarios) {
      if (positionals.length > 0 && !positionals.includes(scenario.name)) continue
      const playing = { seed, whole: !values.small, ...(values.broken === undefined ? {} : { broken: values.broken }) }
      kept = (await playAndTell(scenario, playing)) && kept
      if (values.broken === undefined) kept = (await playVariants(scenario)) && kept
    }
  }
  return kept
}

async function playVariants(scenario: Scenario): Promise<boolean> {
  let all = true
  for (const broken of scenario.broken) {
    const noticed = await isNoticed(scenario, broken)
    console.log(`${noticed ? 'noticed' : 'NOT NOTICED'} ${scenario.name} with ${broken} broken`)
    all &&= noticed
  }
  return all
}

async function playAndTell(scenario: Scenario, playing: Playing): Promise<boolean> {
  const began = performance.now()
  const wrong = await playScenario(scenario, playing).catch((error: unknown) => [String((error as Error).stack)])
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `${wrong.length === 0 ? 'kept  ' : 'BROKEN'} ${scenario.name}, seed ${playing.seed}, ${seconds} s: ${scenario.promise}`,
  )
  if (wrong.length > 0) console.log(`  ${wrong.slice(0, 20).join('\n  ')}\n  replay: ${replayLine(scenario, playing)}`)
  return wrong.length === 0
}
