/**
 * Checks that the database answers, has this version's schema, agrees with our clock, and knows our
 * master key.
 */
import type { Clock } from '../../../ground/clock.ts'
import type { Config } from '../../../ground/config.ts'
import type { Connection } from '../../../database/client/connect.ts'
import type { Database } from '../../../database/client/database.ts'
import { masterKeyFingerprint } from '../../../database/schema/installation.ts'
import { findLocation } from '../../../database/embedded/postgres-location.ts'
import {
  databaseTimeMs,
  schemaState,
  type SchemaState,
} from '../../../database/schema/schema-state.ts'
import { isReadOnly, readOnlyServer } from '../../../database/client/server-state.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { createSecrets, readMasterKey } from '../../../ground/secrets.ts'
import {
  messageOf,
  passed,
  failed,
  warned,
  withCheckedDatabase,
  type Check,
  type DoctorParts,
  type EachCell,
} from './check.ts'
import { checkBackups } from './check-backups.ts'
import { checkWorkspaceGates } from './check-workspace-gates.ts'
import { checkCells } from './check-cells.ts'
import { checkCopy } from './check-copy.ts'
import { checkGrowth } from './check-growth.ts'
import { checkHorizon } from './check-holds.ts'
import { checkCleanUp } from './check-clean-up.ts'
import { checkIndex } from './check-index.ts'
import { checkPartitions } from './check-partitions.ts'
import { checkPrimary } from './check-primary.ts'
import { checkRefusals } from './check-refusals.ts'
import { checkRestore } from './check-restore.ts'
import { checkPostmaster } from './check-postmaster.ts'
import { checkPace } from './check-pace.ts'
import { checkTls } from './check-tls.ts'
import { providerKinds } from '../../../providers/registry.ts'
import { checkWorkspaceMoves } from './check-workspace-moves.ts'

export async function checkDatabase(parts: DoctorParts): Promise<Check[]> {
  const { config } = parts
  try {
    if (config.databaseUrl === null && findLocation(config.dataFolder) === null)
      return [passed('database', `${config.dataFolder} holds none yet: the first start makes it`)]
    return await withCheckedDatabase(parts, (db, eachCell) => query(db, eachCell, parts))
  } catch (error) {
    const next =
      config.databaseUrl === null
        ? 'See the message; the log of PostgreSQL is postgres.log beside its cluster.'
        : 'Mend DATABASE_URL, or the server that it names.'
    return [
      failed('database', error instanceof OperatorError ? error.message : messageOf(error), next),
    ]
  }
}

async function query(
  db: Connection,
  eachCell: EachCell,
  { surroundings: { clock, settingsOf }, config }: DoctorParts,
): Promise<Check[]> {
  const began = clock.monotonicMs()
  const state = await schemaState(db)
  const tookMs = Math.round(clock.monotonicMs() - began)
  const schema = checkSchema(
    state,
    `PostgreSQL ${state.serverVersion}${config.databaseUrl === null ? ' (embedded)' : ''}, answers in ${tookMs} ms`,
  )
  if (state.missing.includes('0001_ground.sql') || state.unknown.length > 0) return [schema]
  const takesWrites = !(await isReadOnly(db))
  const primary = takesWrites && config.databaseUrl !== null ? [await checkPrimary(db)] : []
  const checks = [
    takesWrites ? schema : readOnly,
    ...primary,
    await checkClock(db, clock),
    await checkMasterKey(db, config),
    await checkHorizon(db),
  ]
  // Checks that need the missing migrations are left out.
  return state.missing.length > 0
    ? checks
    : [
        ...checks,
        await checkPace(db),
        ...(providerKinds[config.provider].dialsHosts ? [await checkTls(db)] : []),
        await checkGrowth(db, eachCell, config),
        await checkIndex(eachCell),
        ...(await checkCells(eachCell)),
        ...(await checkPartitions(eachCell)),
        ...(await checkCleanUp(eachCell)),
        ...(await checkRestore(db, eachCell)),
        ...(await checkBackups(db, config)),
        ...(await checkPostmaster(db, config)),
        ...(await checkCopy(db)),
        ...(await checkWorkspaceMoves(db)),
        ...(await checkWorkspaceGates(db, eachCell)),
        ...(await checkRefusals(eachCell, await settingsOf(config, db))),
      ]
}

const readOnly = failed('database', readOnlyServer.problem, readOnlyServer.mend)

function checkSchema({ missing, unknown }: SchemaState, about: string): Check {
  if (unknown.length > 0) {
    return failed(
      'database',
      `${about}, but it is of a newer version of Facteur (it has ${unknown.join(', ')})`,
      'Start that version.',
    )
  }
  if (missing.length > 0)
    return warned(
      'database',
      `${about}; ${missing.join(', ')} not applied yet`,
      'Run: facteur migrate',
    )
  return passed('database', `${about}, has this version's schema`)
}

/**
 * Deadlines and leases go by the database's clock alone; what is shown, logged and signed goes by
 * ours, in milliseconds.
 */
const skewMaxMs = 5_000

async function checkClock(db: Database, clock: Clock): Promise<Check> {
  const requestedMs = clock.now().getTime()
  const databaseMs = await databaseTimeMs(db)
  const skewMs = databaseMs - (requestedMs + clock.now().getTime()) / 2
  const seconds = `${(Math.abs(skewMs) / 1000).toFixed(1)} s`
  if (Math.abs(skewMs) <= skewMaxMs)
    return passed('clock', `process and database agree within ${seconds}`)
  return failed(
    'clock',
    `the database's clock is ${seconds} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's`,
    'Let both machines take their time from NTP.',
  )
}

async function checkMasterKey(db: Database, config: Config): Promise<Check> {
  const known = await masterKeyFingerprint(db)
  const key =
    config.masterKey ?? (config.databaseUrl === null ? readMasterKey(config.dataFolder) : null)
  if (key) {
    if (known === null || known === createSecrets(key).fingerprint)
      return passed('master key', 'opens the secrets of this database')
    return failed(
      'master key',
      "not the key that this database's secrets are sealed with",
      'Use the key of the first start.',
    )
  }
  if (config.databaseUrl !== null) {
    return failed(
      'master key',
      'DATABASE_URL needs FACTEUR_MASTER_KEY, and it is not set',
      known ? 'Set it to the key of the first start.' : 'Make one: openssl rand -base64 32',
    )
  }
  if (known === null) return passed('master key', 'the first start makes it')
  return failed(
    'master key',
    `${config.dataFolder}/master.key is missing`,
    'Put it back from a copy: without it the secrets in the database cannot be read.',
  )
}
