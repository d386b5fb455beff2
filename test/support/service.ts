/**
 * The real program, started as operators start it: `node bin/facteur.mjs start` in a process group
 * of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processStamp } from '../../src/database/embedded/process-stamp.ts'
import { freePort } from './free-port.ts'

export interface Program {
  child: ChildProcess
  /** All that it has said so far, on either stream. */
  output(): string
  /** Resolves when it has said this; rejects when it ends before. */
  saying(text: string | RegExp): Promise<void>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** A signal to everything in the terminal's process group, as Ctrl-C sends it. */
  signalGroup(signal: NodeJS.Signals): void
}

export interface ProgramOptions {
  folder?: string
  env?: Record<string, string>
  /** Where the project is, when it is not this checkout. */
  root?: string
  args?: string[]
}

/** The cleanup of every test: nothing it started goes on. */
export interface Scope {
  after(end: () => Promise<void> | void): void
}

export const here = join(import.meta.dirname, '..', '..')

/**
 * Starts the service on a free port. The environment is this process's without Facteur's settings,
 * and without a locale.
 */
export async function startProgram(
  scope: Scope,
  options: ProgramOptions,
): Promise<Program & { port: number }> {
  const port = await freePort()
  const env = {
    FACTEUR_PORT: String(port),
    ...(options.folder ? { FACTEUR_DATA: options.folder } : {}),
    ...options.env,
  }
  const root = options.root ?? here
  const program = run(
    scope,
    process.execPath,
    [join(root, 'bin', 'facteur.mjs'), ...(options.args ?? ['start'])],
    {
      cwd: root,
      env,
    },
  )
  return { ...program, port: Number(env.FACTEUR_PORT) }
}

/** Starts any program in a process group of its own. */
export function run(
  scope: Scope,
  file: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
): Program {
  const child = spawn(file, args, {
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentWithoutSettings(), ...options.env },
  })
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => {
      resolve({ code, signal })
      for (const listener of listeners) listener()
    }),
  )
  let over = false
  void ended.then(() => (over = true))
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  }
  scope.after(async () => {
    if (over) return
    signalGroup('SIGTERM')
    await ended
  })
  const saying = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const query = (): void => {
        if (typeof text === 'string' ? output.includes(text) : text.test(output)) resolve()
        else if (child.exitCode !== null || child.signalCode !== null)
          reject(new Error(`It ended before it said ${text}:\n${output}`))
        else return
        listeners.delete(query)
      }
      listeners.add(query)
      query()
    })
  return { child, output: () => output, saying, ended, signalGroup }
}

/** The process that has a data folder: the service itself, not the launcher in front of it. */
export function ownerPid(folder: string): number {
  const owner: { pid: number } = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'))
  return owner.pid
}

/** Where a data folder's database lives, read as the service does. */
export function databaseHome(folder: string): string {
  const { home }: { home: string } = JSON.parse(readFileSync(join(folder, 'database.json'), 'utf8'))
  return home.startsWith('/') ? home : join(folder, home)
}

/** The last thing that the database server wrote into its log. */
export const lastDatabaseLine = (folder: string): string =>
  readFileSync(join(databaseHome(folder), 'postgres.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .at(-1) ?? ''

/** The number of the database server's process. */
export const postmasterPid = (folder: string): number =>
  Number.parseInt(readFileSync(join(databaseHome(folder), 'cluster', 'postmaster.pid'), 'utf8'), 10)

/** A process that has ended but is not reaped yet is not alive. */
export const isAlive = (pid: number): boolean => processStamp(pid) !== null

export function environmentWithoutSettings(): Record<string, string | undefined> {
  const ours = ([name]: [string, unknown]): boolean =>
    !/^(FACTEUR_|DATABASE_URL$|NODE_TEST_CONTEXT$|NODE_OPTIONS$|npm_|LANG$|LC_)/.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(ours))
}
