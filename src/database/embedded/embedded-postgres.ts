/**
 * The embedded PostgreSQL: created at the first start, run with the service, stopped last. Only a
 * socket reaches it, with a password.
 */
import { systemClock, type Clock } from '../../ground/clock.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { livingOwner, takeFolder, type Owner, type OwnerKind } from './data-owner.ts'
import { moveFromOlderMajor, type MajorMove } from './move-from-older-major.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import {
  chooseSocketFolder,
  chooseLocation,
  confirmLocation,
  connectionString,
  findAnyLocation,
  findLocation,
  makeDataFolder,
  type PostgresLocation,
} from './postgres-location.ts'
import {
  findPostmaster,
  makeCluster,
  spawnPostmaster,
  stopPostmaster,
  waitForEnd,
  waitUntilReady,
  type Postmaster,
} from './postmaster.ts'
import {
  connectionProblem,
  makeDatabase,
  PATIENCE_MS,
  refuseOrphan,
  waitForServer,
} from './running-server.ts'

export interface EmbeddedOptions {
  /** The data folder, absolute. */
  folder: string
  /** A command waits for a running service and never owns what that one runs. Default: service. */
  kind?: OwnerKind
  /** Receives a few words about each step that takes time. */
  progress?: (text: string) => void
  /**
   * False only for tests: commits are lost when the machine (not PostgreSQL) dies. Default true.
   */
  durable?: boolean
  clock?: Clock
  /** Aborted: the start ends with its reason, and nothing of it goes on. */
  signal?: AbortSignal
  /** How data of an older PostgreSQL is moved to this one. Absent if such data is refused. */
  move?: MajorMove
}

export interface EmbeddedDatabase {
  connectionString: string
  /** Whether it is one that an earlier process of ours left running when it was killed. */
  adopted: boolean
  /** Number of the server's process. */
  pid(): number
  /**
   * Shuts it down cleanly; false when that took longer than `withinMs` (default 60,000) and goes on
   * without us.
   */
  stop(withinMs?: number): Promise<boolean>
  /** Leaves the server running, for the next process that takes the folder. */
  leave(): void
}

/**
 * Takes the data folder and has its database running. Throws `OperatorError` when another living
 * process has it.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  makeDataFolder(options.folder)
  const release = await takeFolderPatiently(options)
  try {
    await moveOlder(options)
    const database = await start(options)
    return {
      ...database,
      stop: async (withinMs = 60_000) => {
        const ended = await database.stop(withinMs)
        release()
        return ended
      },
      leave() {
        database.leave()
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

async function moveOlder({
  folder,
  clock = systemClock,
  progress,
  signal = new AbortController().signal,
  move,
}: EmbeddedOptions): Promise<void> {
  if (move) await moveFromOlderMajor({ folder, clock, progress, signal }, move)
}

/**
 * For a command: the running service's database when there is one, else one started for the time of
 * `work`.
 */
export async function withDatabase<T>(
  options: EmbeddedOptions,
  work: (connectionString: string) => Promise<T>,
): Promise<T> {
  const running = await findRunning(options)
  if (running !== null) return work(running)
  const database = await startEmbedded({ ...options, kind: 'command' })
  try {
    return await work(database.connectionString)
  } finally {
    await database.stop()
  }
}

/** Throws `OperatorError` when a living service has the folder. It changes nothing. */
export function refuseRunningFolder(folder: string): void {
  const owner = livingOwner(folder)
  if (owner?.kind === 'service') throw alreadyRunning(folder, owner)
}

/**
 * A server that a process left in a folder which nobody has any more. Null if there is none, or it
 * does not answer.
 */
export async function findLeftServer(
  folder: string,
): Promise<Pick<EmbeddedDatabase, 'connectionString' | 'stop'> | null> {
  const location = livingOwner(folder) === null ? findAnyLocation(folder) : null
  const left = location && findPostmaster(location)
  if (!location || left?.status !== 'ready') return null
  return {
    connectionString: connectionString(location, left.socketFolder),
    stop: (withinMs = PATIENCE_MS) => stopPostmaster(left, systemClock, withinMs),
  }
}

async function takeFolderPatiently({
  folder,
  kind = 'service',
  clock = systemClock,
  progress,
  signal,
}: EmbeddedOptions): Promise<() => void> {
  const began = clock.monotonicMs()
  for (;;) {
    const answer = takeFolder(folder, kind)
    if (answer.taken) return answer.release
    const { owner } = answer
    if (owner.kind === 'service' || clock.monotonicMs() - began > PATIENCE_MS)
      throw alreadyRunning(folder, owner)
    progress?.(`Waiting for another command (process ${owner.pid})`)
    await clock.sleep(100)
    signal?.throwIfAborted()
  }
}

function alreadyRunning(folder: string, owner: Owner): OperatorError {
  return new OperatorError(
    `Facteur is already running on ${folder} (process ${owner.pid}). It was left alone.`,
  )
}

/** The address of the database that a living service runs; null when no service is alive. */
async function findRunning({
  folder,
  clock = systemClock,
}: EmbeddedOptions): Promise<string | null> {
  const began = clock.monotonicMs()
  for (;;) {
    const owner = livingOwner(folder)
    if (owner?.kind !== 'service') return null
    const location = findLocation(folder)
    const postmaster = location && findPostmaster(location)
    if (location && postmaster?.status === 'ready')
      return connectionString(location, postmaster.socketFolder)
    if (clock.monotonicMs() - began > PATIENCE_MS) throw alreadyRunning(folder, owner)
    await clock.sleep(100)
  }
}

async function start(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { folder, durable = true, clock = systemClock, progress, signal } = options
  const known = findLocation(folder)
  const location = known ?? chooseLocation(folder)
  const binaries = postgresBinaries(location.user)
  if (!known) {
    progress?.('Making the database (first start only)')
    await makeCluster(binaries, location)
    confirmLocation(folder)
  }
  signal?.throwIfAborted()
  const orphan = await adoptOrphan(location, clock, signal)
  const spawn = (socketFolder: string): void =>
    spawnPostmaster(binaries, location, socketFolder, { durable })
  if (!orphan) spawn(chooseSocketFolder(location))
  const running = orphan ?? (await waitForServer(location, { clock, progress, signal }))
  await makeDatabase(location, running)
  return { ...supervise(location, running, clock, spawn), adopted: orphan !== null }
}

/**
 * Takes over a running server whose owner was killed; waits for one that is stopping or does not
 * answer.
 */
async function adoptOrphan(
  location: PostgresLocation,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Postmaster | null> {
  const postmaster = findPostmaster(location)
  if (!postmaster) return null
  if (postmaster.status === 'stopping')
    return (await waitForEnd(postmaster, clock, PATIENCE_MS)) ? null : refuseOrphan(postmaster)
  const ready = await waitUntilReady(location, clock, () => undefined, signal)
  if (
    ready &&
    (await connectionProblem(connectionString(location, ready.socketFolder, 'postgres'))) === null
  )
    return ready
  const left = ready ?? findPostmaster(location)
  if (left && !(await stopPostmaster(left, clock, PATIENCE_MS))) refuseOrphan(left)
  return null
}

/** How often we look whether the server is still there, in milliseconds. */
const WATCH_MS = 1_000

/**
 * Starts the server again when it is gone without our doing (killed for memory, say): our pools
 * find it at the same socket.
 */
function supervise(
  location: PostgresLocation,
  first: Postmaster,
  clock: Clock,
  spawn: (socketFolder: string) => void,
): Pick<EmbeddedDatabase, 'connectionString' | 'pid' | 'stop' | 'leave'> {
  let current = first
  const watch = setInterval(() => {
    const postmaster = findPostmaster(location)
    if (postmaster) current = postmaster
    else spawn(first.socketFolder)
  }, WATCH_MS)
  watch.unref()
  return {
    connectionString: connectionString(location, first.socketFolder),
    pid: () => current.pid,
    leave: () => clearInterval(watch),
    stop: (withinMs = PATIENCE_MS) => {
      clearInterval(watch)
      return stopPostmaster(findPostmaster(location) ?? current, clock, withinMs)
    },
  }
}
