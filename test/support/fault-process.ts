/**
 * Our service as a process of its own, which a test may kill, freeze and start again; the rest ends
 * with the test.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { programFile } from './program.ts'
import { until } from './until.ts'

export interface ServiceOptions {
  databaseUrl: string
  role: 'api' | 'worker' | 'inbound' | 'all'
  /** Where the API listens. */
  port: number
  /** The relay; null is the capture mailbox. */
  smtpUrl: string | null
  /** As in FACTEUR_FAILPOINTS. */
  failpoints: string[]
  /** Further settings by their environment names. */
  settings: Record<string, string | number>
  /** The file of another version's program. */
  program?: string
  /**
   * A command that runs the program given behind it, such as on another host, as the same process.
   */
  prefix?: string[]
  /** Options of node. */
  nodeFlags?: string[]
}

export interface ServiceProcess {
  pid: number
  /** Resolves at its end: the signal that ended it, or its exit code. */
  ended: Promise<NodeJS.Signals | number>
  isAlive(): boolean
  signal(name: NodeJS.Signals): void
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>
  /** Resolves once the failpoint `name:hold` holds it; `letGo` ends all of them. */
  pausesAt(name: string): Promise<unknown>
  letGo(): void
  /** The last lines that it wrote. */
  lastLines(): string
}

const alive = new Set<ChildProcess>()
process.on('exit', () => alive.forEach((child) => child.kill('SIGKILL')))

/** One master key for all: they share their database. */
const masterKey = randomBytes(32).toString('base64')

/** Resolves when it is ready, or was killed before that (a failpoint may do so). */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const { role, program = programFile, prefix = [], nodeFlags = [] } = options
  const command = [
    ...prefix,
    process.execPath,
    ...nodeFlags,
    program,
    'start',
    ...(role === 'all' ? [] : ['--role', role]),
  ]
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE:
        process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'facteur-test-compiled'),
      ...settingsOf(options),
    },
  })
  alive.add(child)
  const ended = new Promise<NodeJS.Signals | number>((resolve) => {
    child.once('exit', (code, signal) => {
      alive.delete(child)
      resolve(signal ?? code ?? 1)
    })
  })
  const lines: string[] = []
  const places = new Set<string>()
  const ready = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 60) lines.shift()
      if (line.startsWith('Facteur is ready')) ready.resolve()
      const failpoint = /^failpoint (\S+) holds$/.exec(line)?.[1]
      if (failpoint !== undefined) places.add(failpoint)
    })
  }
  const pid = child.pid ?? 0
  const end = await Promise.race([ready.promise, ended])
  if (end !== undefined && end !== 'SIGKILL')
    throw new Error(`The service ended with ${end} before it was ready:\n${lines.join('\n')}`)
  return {
    pid,
    ended,
    isAlive: () => alive.has(child),
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    pausesAt: (name) => until(() => places.has(name)),
    letGo: () => void child.kill('SIGUSR2'),
    lastLines: () => lines.join('\n'),
  }
}

/** Its settings as the environment of a process. */
export function settingsOf({
  databaseUrl,
  port,
  smtpUrl,
  failpoints,
  settings,
}: Omit<ServiceOptions, 'role' | 'program' | 'prefix' | 'nodeFlags'>): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    FACTEUR_MASTER_KEY: masterKey,
    FACTEUR_PORT: String(port),
    FACTEUR_LOG_LEVEL: 'warn',
    FACTEUR_FAILPOINTS: failpoints.join(','),
    ...(smtpUrl === null ? {} : { FACTEUR_SMTP_URL: smtpUrl }),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
  }
}

/**
 * A program of the tests in a process of its own, such as the referee; answers the first line that
 * it writes.
 */
export async function startProgram(
  file: string,
  args: string[],
  prefix: string[] = [],
): Promise<{ firstLine: string; signal(name: NodeJS.Signals): void; kill(): Promise<void> }> {
  const command = [...prefix, process.execPath, file, ...args]
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  alive.add(child)
  const [firstLine] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    firstLine,
    signal: (name) => void child.kill(name),
    kill: async () => {
      const ended = once(child, 'exit')
      if (!child.kill('SIGKILL')) return
      await ended
      alive.delete(child)
    },
  }
}
