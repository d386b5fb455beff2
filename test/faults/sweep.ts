/**
 * `npm run sweep [-- NAME…] [--seed N] [--rounds N] [--small]`: the crash sweep, whole, on a
 * PostgreSQL of its own, then on hosts in namespaces. Then each broken variant in its small size,
 * which must be noticed. `--broken FAILPOINT` plays only that one and prints what it broke.
 *
 * `npm run sweep -- --schedules N [--seed S] [--worlds W]`: N random schedules of faults on hosts,
 * by the seeds from S on, W at once. With `--broken FAILPOINT` every process lacks that guard.
 *
 * Without a seed each round draws another one and says so. Ends with 1 when a promise was broken,
 * or a broken variant not noticed.
 */
import { parseArgs } from 'node:util'
import { migrate } from '../../src/database/schema/migrate.ts'
import { hostScenarios } from '../hosts/host-scenarios.ts'
import { sweepInHosts, sweepSchedules } from '../hosts/sweep-hosts.ts'
import { ADMIN_URL, runOn, TEMPLATE, withDatabaseName } from '../support/database.ts'
import { startPostgres } from '../support/postgres.ts'
import { scenarios } from './scenarios.ts'
import { sweepScenarios } from './sweep-scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    broken: { type: 'string' },
    small: { type: 'boolean', default: false },
    schedules: { type: 'string' },
    worlds: { type: 'string', default: '4' },
  },
})

const all = [...scenarios, ...hostScenarios]
const unknown = positionals.find((name) => !all.some((scenario) => scenario.name === name))
if (unknown !== undefined)
  throw new Error(`There is no scenario ${unknown}: ${all.map(({ name }) => name).join(', ')}`)
const isChosen = ({ name }: { name: string }): boolean =>
  positionals.length === 0 || positionals.includes(name)

process.exitCode = (await sweep()) ? 0 : 1

async function sweep(): Promise<boolean> {
  const { seed, schedules, broken } = values
  const seeded = seed === undefined ? {} : { seed: Number(seed) }
  if (schedules !== undefined)
    return sweepSchedules({
      ...seeded,
      schedules: Number(schedules),
      worlds: Number(values.worlds),
      ...(broken && { broken }),
    })
  const hereKept = scenarios.some(isChosen) ? await sweepHere(seeded) : true
  const names = hostScenarios.filter(isChosen).map(({ name }) => name)
  return (names.length > 0 ? await sweepInHosts(names, process.argv.slice(2)) : true) && hereKept
}

async function sweepHere(seeded: { seed?: number }): Promise<boolean> {
  const postgres = await startPostgres({ durable: false })
  try {
    const admin = withDatabaseName(postgres.connectionString, 'postgres')
    await runOn(admin, `create database ${TEMPLATE}`)
    await migrate(withDatabaseName(admin, TEMPLATE))
    process.env[ADMIN_URL] = admin
    const { rounds, small, broken } = values
    const options = {
      ...seeded,
      rounds: Number(rounds),
      small,
      ...(broken !== undefined && { broken }),
    }
    return await sweepScenarios(scenarios.filter(isChosen), options)
  } finally {
    await postgres.stop()
  }
}
