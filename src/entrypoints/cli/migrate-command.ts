/**
 * `facteur migrate`: brings the database to this version's schema, or plans it, and starts nothing.
 */
import { connect } from '../../database/client/connect.ts'
import { migrate } from '../../database/schema/migrate.ts'
import {
  planMigrations,
  type MigrationPlan,
  type PlannedLock,
  type PlannedMigration,
} from '../../database/schema/plan-migrations.ts'
import { lockTimeoutMs } from '../../database/schema/short-locks.ts'
import { defineCommand } from './command.ts'
import { printed, type PrintedValue } from './result.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: "Bring the database to this version's schema",
  note: 'Starting the service does it too, and so does every command that needs the database. Forward only; each file once. Processes of the previous version go on meanwhile. --plan changes nothing: it shows what each missing file locks, how large these tables are here, for how long about, and who waits.',
  flags: { plan: { text: 'Show what would be locked, and change nothing.' } },
  examples: ['migrate', 'migrate --plan', 'migrate --plan --json'],
  run: (surroundings, { plan }) => {
    const config = surroundings.readConfig()
    return surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
      await surroundings.checkMasterKey(config, connectionString)
      if (plan) return showPlan(await readPlan(connectionString))
      const applied = await migrate(connectionString, {
        progress: surroundings.progress,
        signal: surroundings.signal,
      })
      return printed(
        { applied },
        applied.length === 0
          ? 'The database has this version already; nothing was changed.'
          : `Applied ${applied.join(', ')}.`,
      )
    })
  },
})

/** Measuring may take longer on a slow disk than a statement of the service may. */
const measureMs = 60_000

async function readPlan(connectionString: string): Promise<MigrationPlan> {
  const db = connect({
    connectionString,
    poolSize: 1,
    applicationName: 'facteur command',
    statementTimeoutMs: measureMs,
  })
  try {
    return await planMigrations(db)
  } finally {
    await db.end()
  }
}

function showPlan(plan: MigrationPlan): PrintedValue {
  const { migrations, bytesPerSecond } = plan
  if (migrations.length === 0)
    return printed(plan, 'The database has this version already: nothing would be locked.')
  const rate =
    bytesPerSecond === null
      ? 'No table is large enough to measure how fast this database reads.'
      : `This database read ${sizeOf(bytesPerSecond)} a second just now; the times follow from that, and are rough.`
  const waiting = `A lock waits for other transactions ${lockTimeoutMs / 1_000} seconds at most, then lets calls pass and is tried again. Nothing was changed.`
  return printed(plan, [...migrations.map(describeMigration), `${rate}\n${waiting}`].join('\n\n'))
}

function describeMigration({ name, isOneTransaction, locks, seconds }: PlannedMigration): string {
  const head = `${name}: ${isOneTransaction ? 'one transaction' : 'statement by statement'}, ${timeOf(seconds)}`
  return [
    head,
    ...(locks.length === 0 ? ['  locks no table of this database'] : locks.map(describeLock)),
  ].join('\n')
}

const describeLock = ({
  table,
  mode,
  waits,
  seconds,
  bytes,
  rows,
  statement,
}: PlannedLock): string =>
  `  ${table} (${sizeOf(bytes)}, ${rows} rows): ${mode}, ${timeOf(seconds)}; ${waits === 'nobody' ? 'nobody waits' : `${waits} wait`}\n    ${statement}`

const timeOf = (seconds: number): string => {
  if (seconds < 0.5) return 'a moment'
  return seconds < 100 ? `about ${Math.ceil(seconds)} s` : `about ${Math.ceil(seconds / 60)} min`
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`
  return bytes < 1_000_000_000
    ? `${Math.round(bytes / 1_000_000)} MB`
    : `${Math.round(bytes / 100_000_000) / 10} GB`
}
