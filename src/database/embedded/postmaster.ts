/**
 * One PostgreSQL server process: it runs apart from our process, is found again after our crash,
 * and stops cleanly.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Clock } from '../../ground/clock.ts'
import { reasonOf } from './full-disk.ts'
import { isMemorySmall, memoryOfProcess } from '../../ground/memory-bounds.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import type { PostgresLocation } from './postgres-location.ts'
import { giveTo } from './postgres-user.ts'
import { commandLine, processStamp } from './process-stamp.ts'
import { textOfFile } from './read-text.ts'

export interface Postmaster {
  pid: number
  /** Distinguishes this server from a later process with its number. */
  stamp: string
  socketFolder: string
  status: 'starting' | 'stopping' | 'ready' | 'standby' | ''
}

/** How long between two looks at a server that starts or stops, in milliseconds. */
const POLL_MS = 20

/** A server log larger than this, in bytes, is renamed to `.old` at the next start. */
const LOG_SIZE_MAX = 5_000_000

/** Makes the cluster; it appears under its name only when it is whole. */
export async function makeCluster(binaries: string, location: PostgresLocation): Promise<void> {
  const unfinished = `${location.cluster}.new`
  const passwordFile = join(location.home, 'password')
  rmSync(unfinished, { recursive: true, force: true })
  writeFileSync(passwordFile, location.password, { mode: 0o600 })
  giveTo(location.user, passwordFile)
  const choices = ['--username=facteur', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  // The built-in locale sorts alike on every machine, whatever C library it has.
  const locale = [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  try {
    const { output, end } = await runInitdb(binaries, location, [
      ...choices,
      ...locale,
      '--no-instructions',
      '-D',
      unfinished,
    ])
    if (end !== 0)
      throw new OperatorError(
        `The database could not be made: ${reasonOf(location.home, firstLine(output) || String(end))}`,
      )
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, location.cluster)
}

/**
 * Apart from us like the server: Ctrl-C during the first start waits until there is something whole
 * to stop.
 */
async function runInitdb(
  binaries: string,
  location: PostgresLocation,
  options: string[],
): Promise<{ output: string; end: number | string | null }> {
  for (;;) {
    const initdb = spawn(join(binaries, 'bin', 'initdb'), options, {
      ...surroundings(location),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [output, end] = await Promise.all([text(initdb.stderr), endOf(initdb)])
    // For a moment of its birth it is still in our group, where Ctrl-C ends it before it has done
    // anything.
    if (end !== 'SIGINT') return { output, end }
  }
}

/** Its exit code, the signal that ended it, or why it never ran. */
const endOf = (child: ChildProcess): Promise<number | string | null> =>
  new Promise((resolve) => {
    child.on('error', ({ message }) => resolve(message))
    child.on('close', (code, signal) => resolve(code ?? signal))
  })

/**
 * Starts the server in a process group of its own: Ctrl-C in our terminal must not stop it before
 * our last writes.
 */
export function spawnPostmaster(
  binaries: string,
  location: PostgresLocation,
  socketFolder: string,
  {
    durable = true,
    settings: further = {},
  }: { durable?: boolean; settings?: Record<string, string | number> },
): void {
  clearAway(location, socketFolder)
  const logFile = openLog(location)
  const allSettings = { ...settingsFor(socketFolder, durable), ...further }
  const settings = Object.entries(allSettings).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  try {
    const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', location.cluster, ...settings], {
      ...surroundings(location),
      detached: true,
      stdio: ['ignore', logFile, logFile],
    })
    child.on('error', () => undefined)
    child.unref()
  } finally {
    closeSync(logFile)
  }
}

function settingsFor(socketFolder: string, durable: boolean): Record<string, string | number> {
  return {
    listen_addresses: '',
    // A list in which quotes keep commas and spaces.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    // Tests are many services on one server.
    max_connections: durable ? 100 : 300,
    shared_buffers: isMemorySmall(memoryOfProcess()) ? '32MB' : '128MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Values of rows, addresses among them, stay out of the log.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: 0,
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
}

/** The server of this cluster, alive; null when there is none, whatever a dead one left. */
export function findPostmaster(location: PostgresLocation): Postmaster | null {
  const lines = readPidFile(location)
  const pid = Number(lines[0])
  if (!(pid > 0)) return null
  const stamp = processStamp(pid)
  if (stamp === null || !commandLine(pid).includes(location.cluster)) return null
  return {
    pid,
    stamp,
    socketFolder: lines[4]?.trim() ?? '',
    status: (lines[7]?.trim() ?? '') as Postmaster['status'],
  }
}

/** No process has it: above the largest that any system gives. */
const NO_PID = 2_147_483_646

/**
 * Clears the file of a dead server: PostgreSQL takes any process with its number for that server.
 * That may be a later process, or the dead one itself until it is reaped (a container without an
 * init). Only the number is replaced. By the shared memory named in the rest, PostgreSQL finds out
 * whether processes of the dead server still write.
 */
function clearAway(location: PostgresLocation, socketFolder: string): void {
  if (findPostmaster(location)) return
  const [pid, ...rest] = readPidFile(location)
  if (Number(pid) > 0) writeFileSync(pidFile(location), [NO_PID, ...rest].join('\n'))
  rmSync(join(socketFolder, '.s.PGSQL.5432.lock'), { force: true })
}

const pidFile = (location: PostgresLocation): string => join(location.cluster, 'postmaster.pid')

const readPidFile = (location: PostgresLocation): string[] =>
  textOfFile(pidFile(location))?.split('\n') ?? []

/**
 * Waits until the server takes connections; null when it ended instead. `onSlow` is called once
 * when that takes seconds, as after a crash. Throws the reason of `signal` once the server can be
 * found and stopped.
 */
export async function waitUntilReady(
  location: PostgresLocation,
  clock: Clock,
  onSlow: () => void,
  signal?: AbortSignal,
): Promise<Postmaster | null> {
  const began = clock.monotonicMs()
  let hasStarted = false
  let isAnnounced = false
  for (;;) {
    const postmaster = findPostmaster(location)
    if (postmaster?.status === 'ready') return postmaster
    const waited = clock.monotonicMs() - began
    // Before its file there is nothing to see; a server that cannot start ends within this time.
    if (!postmaster && (hasStarted || waited > 5_000)) return null
    if (postmaster) signal?.throwIfAborted()
    hasStarted ||= postmaster !== null
    if (waited > 3_000 && !isAnnounced) {
      isAnnounced = true
      onSlow()
    }
    await clock.sleep(POLL_MS)
  }
}

/**
 * Asks for a fast shutdown: connections end, everything is written, the cluster is marked clean.
 * False when that takes longer than `withinMs`; it goes on by itself.
 */
export async function stopPostmaster(
  postmaster: Postmaster,
  clock: Clock,
  withinMs: number,
): Promise<boolean> {
  tryKill(postmaster.pid, 'SIGINT')
  const ended = await waitForEnd(postmaster, clock, withinMs)
  if (ended) removeSocketFolder(postmaster.socketFolder)
  return ended
}

/** Whether it ended within the time. */
export async function waitForEnd(
  postmaster: Postmaster,
  clock: Clock,
  withinMs: number,
): Promise<boolean> {
  const began = clock.monotonicMs()
  while (processStamp(postmaster.pid) === postmaster.stamp) {
    if (clock.monotonicMs() - began > withinMs) return false
    await clock.sleep(POLL_MS)
  }
  return true
}

/** The last lines that the server wrote, for telling why it did not start. */
export function lastLogLines(location: PostgresLocation): string {
  const lines = readFileSync(logPath(location), 'utf8').trimEnd().split('\n')
  return lines.findLast((line) => /FATAL|PANIC|ERROR/.test(line)) ?? lines.at(-1) ?? ''
}

const logPath = (location: PostgresLocation): string => join(location.home, 'postgres.log')

function openLog(location: PostgresLocation): number {
  const path = logPath(location)
  if (existsSync(path) && statSync(path).size > LOG_SIZE_MAX) renameSync(path, `${path}.old`)
  const file = openSync(path, 'a', 0o600)
  giveTo(location.user, path)
  return file
}

/**
 * Nothing of ours reaches PostgreSQL's programs by the environment: PGDATA, PGPORT and the like
 * would change what they do.
 */
function surroundings({ user, home }: PostgresLocation): {
  uid?: number
  gid?: number
  cwd: string
  env: Record<string, string>
} {
  return {
    ...user.identity,
    cwd: home,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...releaseLargeBlocks },
  }
}

/**
 * glibc returns blocks of a megabyte to the system when they are freed. By default it keeps up to
 * 64 MB in each connection's process once a large parameter came (mallopt(3): M_MMAP_THRESHOLD).
 */
const releaseLargeBlocks = { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '4194304' }

/** Only a folder that was made for a socket alone is removed. */
function removeSocketFolder(folder: string): void {
  if (
    basename(folder).startsWith('facteur-') &&
    !existsSync(join(folder, 'cluster')) &&
    dirname(folder) !== '/var/lib/facteur'
  ) {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself.
  }
}

const firstLine = (output: string): string => output.trim().split('\n')[0] ?? ''
