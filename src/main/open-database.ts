/**
 * Opens the database of the settings: an external one, or the embedded one for as long as the
 * process runs.
 */
import { systemClock } from '../ground/clock.ts'
import { environment, isSetting, type Config } from '../ground/config.ts'
import { copyDatabase, type CopyProgress } from '../database/transport/copy/copy-database.ts'
import { startEmbedded, withDatabase } from '../database/embedded/embedded-postgres.ts'
import type { MajorMove } from '../database/embedded/move-from-older-major.ts'
import { refuseUnfinishedRestore } from '../database/embedded/unfinished-restore.ts'
import { withholdPending, markUnknownCopy } from '../db/restore/withhold-pending.ts'
import { connectionCode, connectionReason } from '../database/client/connection-reasons.ts'
import { isReadOnlyServer, lostConnection } from '../database/client/database-errors.ts'
import { isConnectionError } from '../database/client/database-client.ts'
import { findInstallation } from '../database/schema/installation.ts'
import { migrate } from '../database/schema/migrate.ts'
import { readOnlyServer } from '../database/client/server-state.ts'
import { NoPrimaryError } from '../database/client/servers.ts'
import { findMove } from '../database/transport/copy/find-move.ts'
import { locationWithoutLogin } from '../ground/login-in-url.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { checkMasterKey } from './open-secrets.ts'
import { stopFormer } from './stop-former.ts'

export interface OpenDatabase {
  connectionString: string
  /**
   * Stops an embedded database cleanly, as the last step; false when PostgreSQL is still stopping.
   */
  stop(withinMs: number): Promise<boolean>
}

export interface OpeningDatabase {
  /** Shows a step, until the next one. */
  progress(text: string): void
  /** Says what is to be read later, too. */
  announce(text: string): void
  signal: AbortSignal
}

/**
 * Starts an embedded database, moves the data of an older PostgreSQL to it, checks the master key,
 * and migrates the schema. Rejects soon after `signal` is aborted.
 */
export async function openDatabase(
  config: Config,
  { progress, announce, signal }: OpeningDatabase,
): Promise<OpenDatabase> {
  if (config.movedFrom !== undefined) await stopFormer(config.movedFrom)
  if (config.databaseUrl !== null) {
    const url = config.databaseUrl
    await migrateAndReport(config, url, progress, signal).catch((error: unknown) => {
      throw explain(error, url)
    })
    return { connectionString: url, stop: () => Promise.resolve(true) }
  }
  progress('Starting the database')
  const npmEnvironment = Object.fromEntries(
    Object.entries(environment()).filter(([name]) => !isSetting(name)),
  )
  const move = { announce, copy: copyToNewMajor, npmEnvironment }
  const database = await startEmbedded({ folder: config.dataFolder, progress, signal, move })
  try {
    await refuseUnfinished(config.dataFolder, database.connectionString)
    await migrateAndReport(config, database.connectionString, progress, signal)
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

/**
 * How often the share of a copy is said, in milliseconds: each time is a line where no terminal is.
 */
const SAID_EVERY_MS = 5_000

async function copyToNewMajor({
  from,
  to,
  progress,
  signal,
}: Parameters<MajorMove['copy']>[0]): Promise<void> {
  let saidAtMs = systemClock.monotonicMs()
  const onProgress = ({ step, share }: CopyProgress): void => {
    if (systemClock.monotonicMs() - saidAtMs < SAID_EVERY_MS) return
    saidAtMs = systemClock.monotonicMs()
    progress(`${stepTexts[step]}: ${Math.floor(share * 100)} %`)
  }
  await copyDatabase({ from, to, progress, onProgress, signal })
}

const stepTexts: Record<CopyProgress['step'], string> = {
  rows: 'Copying the rows',
  indexes: 'Building the indexes',
  check: 'Comparing every row',
}

/**
 * For a command: the database of the running service, or one for the time of `work`. Its schema is
 * left as it is.
 */
export async function withOpenDatabase<T>(
  config: Config,
  progress: (text: string) => void,
  work: (connectionString: string) => Promise<T>,
  { isRestore = false } = {},
): Promise<T> {
  if (config.databaseUrl === null) {
    const folder = config.dataFolder
    return withDatabase({ folder, progress }, async (connectionString) => {
      if (!isRestore) await refuseUnfinished(folder, connectionString)
      return work(connectionString)
    })
  }
  try {
    return await work(config.databaseUrl)
  } catch (error) {
    throw explain(error, config.databaseUrl)
  }
}

const refuseUnfinished = (folder: string, connectionString: string): Promise<void> =>
  refuseUnfinishedRestore(folder, async () => (await findInstallation(connectionString)) !== null)

async function migrateAndReport(
  config: Config,
  connectionString: string,
  progress: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await refuseMoved(config, connectionString)
  await checkMasterKey(config, connectionString, true)
  signal.throwIfAborted()
  progress('Preparing the tables')
  await migrate(connectionString, { signal, progress })
  await markUnknownCopy(connectionString)
  // A restore that ended before this step leaves it to the next start.
  await withholdPending(connectionString)
}

/** Exactly one of two databases is the installation: a start and a command refuse the other one. */
export async function refuseMoved(
  { databaseUrl, program }: Config,
  connectionString: string,
  { takesSwitchedCopy = false } = {},
): Promise<void> {
  const { movedTo, isUnfinished, isSwitched } = await findMove(connectionString)
  if (isSwitched && takesSwitchedCopy) return
  if (isUnfinished)
    throw new OperatorError(
      `This database is an unfinished copy of another one: run the same line of ${program} database copy once more, with the settings of that one.${isSwitched ? ` If that one is lost for good: ${program} restore hold.` : ''}`,
    )
  if (movedTo === null) return
  throw new OperatorError(
    databaseUrl === null
      ? `This installation has moved to ${movedTo}, and the last step was cut off: run ${program} database copy --to with that address once more.`
      : `This installation has moved to ${movedTo}: set DATABASE_URL to that database. If a start calls it an unfinished copy, run the same line of ${program} database copy here once more before. This one is as it was then.`,
  )
}

/**
 * Errors of the system and of PostgreSQL for a wrong address, as one line that names the setting to
 * check.
 */
function explain(error: unknown, url: string): unknown {
  if (error instanceof NoPrimaryError) return new OperatorError(`DATABASE_URL: ${error.message}`)
  if (isOfReadOnlyServer(error))
    return new OperatorError(`DATABASE_URL: ${readOnlyServer.problem}. ${readOnlyServer.mend}`)
  const code = connectionCode(error)
  const reason = connectionReason(error)
  // A file that an operator named fails with the same codes as a socket.
  if (
    reason === null ||
    (socketCode.test(code) && !isOfConnection(error) && !lostConnection(error))
  )
    return error
  const location = locationWithoutLogin(url)
  return new OperatorError(`DATABASE_URL: ${reason}${location === null ? '' : ` (${location})`}`)
}

const isOfReadOnlyServer = (error: unknown): boolean =>
  isReadOnlyServer(error) ||
  (error instanceof Error && error.cause !== undefined && isOfReadOnlyServer(error.cause))

const socketCode = /^E(?!RR_)[A-Z_]+$/

const isOfConnection = (error: unknown): boolean =>
  isConnectionError(error) ||
  (error instanceof Error && error.cause !== undefined && isOfConnection(error.cause))
