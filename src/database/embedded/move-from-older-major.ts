/**
 * Moves data that an older PostgreSQL wrote into a cluster of this one, at a start of the service
 * (docs/decisions/0055). A kill at any moment leaves either of them in use, whole.
 *
 * 1. The disk has room for both.
 * 2. The older server starts on its own files, read only: it recovers what a crash left.
 * 3. A new cluster is made in a folder beside, and everything is copied into it and compared.
 * 4. Both servers stop, and one rename puts the new cluster into use.
 */
import { existsSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shownBytes } from '../../ground/shown-values.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { bytesBelow } from './older-data.ts'
import { isOlderMajor, olderPrograms, removeDownload } from './older-programs.ts'
import { postgresBinaries, POSTGRES_MAJOR } from './postgres-binaries.ts'
import {
  chooseLocationNextTo,
  chooseSocketFolder,
  connectionString,
  findAnyLocation,
  switchLocation,
  type PostgresLocation,
} from './postgres-location.ts'
import { makeFolderFor } from './postgres-user.ts'
import { findPostmaster, makeCluster, spawnPostmaster, stopPostmaster } from './postmaster.ts'
import {
  connectionProblem,
  makeDatabase,
  PATIENCE_MS,
  refuseOrphan,
  waitForServer,
  type Waiting,
} from './running-server.ts'

export interface MajorMove {
  /** Says what begins and what was done; unlike progress it stays to be read. */
  announce(text: string): void
  /**
   * Copies everything between two databases that nobody else uses, and compares. The source takes
   * no writes.
   */
  copy(options: {
    from: string
    to: string
    progress(text: string): void
    signal: AbortSignal
  }): Promise<void>
  /** The environment for npm, without our settings, some of which are secrets. */
  npmEnvironment: NodeJS.ProcessEnv
}

interface Moving extends Waiting {
  folder: string
  signal: AbortSignal
}

/**
 * Does nothing when the data is not of an older PostgreSQL, or of one that this version does not
 * know.
 */
export async function moveFromOlderMajor(
  options: Moving,
  { announce, copy, npmEnvironment }: MajorMove,
): Promise<void> {
  const { folder, progress = () => undefined, signal } = options
  const old = findAnyLocation(folder)
  if (!old || !isOlderMajor(old.major)) return
  const next = chooseLocationNextTo(old)
  const bytes = bytesBelow(join(old.cluster, 'base'))
  checkRoom(old, next, bytes)
  announce(
    `The data in ${folder} is of PostgreSQL ${old.major} and moves to PostgreSQL ${POSTGRES_MAJOR} now, before the service starts. ` +
      `It takes about ${minutesText(bytes)} and ${shownBytes(bytes)} of disk; the old data stays.`,
  )
  // A statement may take minutes: without its server it ends at once.
  const stopBoth = (): void =>
    void Promise.all([stopAny(next, options), stopAny(old, options)]).catch(() => undefined)
  signal.addEventListener('abort', stopBoth, { once: true })
  try {
    const from = await startOlder(old, { ...options, npmEnvironment })
    await fill(next, options, { announce, copy: (to) => copy({ from, to, progress, signal }) })
  } finally {
    signal.removeEventListener('abort', stopBoth)
    await stopAny(old, options)
  }
  signal.throwIfAborted()
  switchLocation(folder, next)
  removeDownload(old)
  announce(
    `The data is of PostgreSQL ${POSTGRES_MAJOR} now. That of PostgreSQL ${old.major} stays in ${old.home} until you delete this folder.`,
  )
}

/** Bytes a second that a small host copies and compares, indexes included; rather too few. */
const BYTES_PER_SECOND = 5_000_000

const minutesText = (bytes: number): string => {
  const minutes = Math.ceil(bytes / BYTES_PER_SECOND / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/**
 * What an empty cluster, its log and downloaded programs take; and of the data, what sorting for
 * the indexes takes.
 */
const emptyBytes = 300e6
const sortedShare = 0.25

function checkRoom(
  { home, major }: PostgresLocation & { major: string },
  next: PostgresLocation,
  bytes: number,
): void {
  const parent = dirname(home)
  const { bavail, bsize } = statfsSync(parent)
  const unfinishedBytes = existsSync(next.home) ? bytesBelow(next.home) : 0
  const needed = bytes * (1 + sortedShare) + emptyBytes - unfinishedBytes
  if (bavail * bsize >= needed) return
  throw new OperatorError(
    `The data is of PostgreSQL ${major}. To move it to PostgreSQL ${POSTGRES_MAJOR} takes ${shownBytes(needed)} of disk beside it, and ${parent} has ${shownBytes(bavail * bsize)} free: make room, or move the data folder to a larger disk. Nothing was changed.`,
  )
}

async function stopAny(location: PostgresLocation, { clock }: Moving): Promise<void> {
  const postmaster = findPostmaster(location)
  if (postmaster && !(await stopPostmaster(postmaster, clock, PATIENCE_MS)))
    refuseOrphan(postmaster)
}

/**
 * The first programs that fit the data: built for its locale, with a library that sorts as the one
 * that wrote it.
 */
async function startOlder(
  old: PostgresLocation & { major: string },
  options: Moving & Pick<MajorMove, 'npmEnvironment'>,
): Promise<string> {
  const { progress, signal, npmEnvironment } = options
  let problem = ''
  for await (const programs of olderPrograms({ ...old, progress, signal, npmEnvironment })) {
    // One that an earlier start left running may be of programs that are gone by now.
    await stopAny(old, options)
    progress?.(`Starting PostgreSQL ${old.major}`)
    spawnPostmaster(programs, old, chooseSocketFolder(old), {
      settings: { default_transaction_read_only: 'on' },
    })
    try {
      const { socketFolder } = await waitForServer(old, options)
      const address = connectionString(old, socketFolder)
      const refused = await connectionProblem(address)
      if (refused === null) return address
      problem = refused
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problem = error.message
    }
    await stopAny(old, options)
  }
  signal.throwIfAborted()
  throw new OperatorError(`PostgreSQL ${old.major} cannot open the data in ${old.home}: ${problem}`)
}

/**
 * Goes on with what an earlier attempt copied; should that fail for whatever reason, it begins
 * again from nothing.
 */
async function fill(
  location: PostgresLocation,
  options: Moving,
  { announce, copy }: Pick<MajorMove, 'announce'> & { copy: (to: string) => Promise<void> },
): Promise<void> {
  if (existsSync(location.cluster)) {
    try {
      return await fillOnce(location, options, copy)
    } catch (error) {
      options.signal.throwIfAborted()
      announce(
        `What an earlier start copied cannot be continued (${error instanceof Error ? error.message : String(error)}): the copy begins again.`,
      )
    }
  }
  discard(location)
  options.progress?.(`Making a database of PostgreSQL ${POSTGRES_MAJOR}`)
  makeFolderFor(location.user, location.home, 0o700)
  await makeCluster(postgresBinaries(location.user), location)
  options.signal.throwIfAborted()
  await fillOnce(location, options, copy)
}

async function fillOnce(
  location: PostgresLocation,
  options: Moving,
  copy: (to: string) => Promise<void>,
): Promise<void> {
  await stopAny(location, options)
  spawnPostmaster(postgresBinaries(location.user), location, chooseSocketFolder(location), {
    settings: settingsToLoad,
  })
  try {
    const running = await waitForServer(location, options)
    await makeDatabase(location, running)
    await copy(connectionString(location, running.socketFolder))
  } finally {
    await stopAny(location, options)
  }
}

/**
 * Tables and indexes that a transaction makes and fills go to the disk at its end, and not into a
 * log as well.
 */
const settingsToLoad = { wal_level: 'minimal', max_wal_senders: 0, synchronous_commit: 'off' }

/** Under another name first: an initdb of an attempt that was killed may still write there. */
function discard({ home }: PostgresLocation): void {
  const dead = `${home}.dead`
  rmSync(dead, { recursive: true, force: true })
  if (existsSync(home)) renameSync(home, dead)
  rmSync(dead, { recursive: true, force: true, maxRetries: 10 })
}
