/** Starts what is measured as processes of their own, and reads what they cost. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

export interface Measurable {
  pid: number
  stop(): Promise<void>
}

/**
 * Starts a program with the Node we run on; resolves when a line of its output says so. The output
 * goes to a file: the measuring process must not spend its own time on reading it.
 */
export async function startProgram(
  args: string[],
  env: Record<string, string>,
  isReady: (line: string) => boolean,
): Promise<Measurable> {
  const folder = mkdtempSync(join(tmpdir(), 'facteur-bench-'))
  const file = join(folder, 'output')
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', openSync(file, 'w'), 'inherit'],
  })
  while (!readFileSync(file, 'utf8').split('\n').map(isReady).includes(true)) {
    if (child.exitCode !== null)
      throw new Error(`A measured program ended at once with ${child.exitCode}`)
    await setTimeout(50)
  }
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}

const microsecondsPerTick = 10_000

/** Processor time of a process so far, in microseconds (proc(5): utime and stime). */
export const cpuOf = (pid: number): number => statOf(pid)?.cpu ?? 0

/** The same of a process and its children. */
export const cpuOfTree = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + cpuOfTree(child), cpuOf(pid))

/** Processor time of the PostgreSQL that a postmaster leads, its ended children included. */
export function cpuOfPostgres(postmaster: number): number {
  const own = statOf(postmaster)
  return childrenOf(postmaster).reduce(
    (sum, child) => sum + cpuOf(child),
    (own?.cpu ?? 0) + (own?.cpuOfEnded ?? 0),
  )
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => statOf(child)?.parent === pid)

/** Resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

function statOf(pid: number): { parent: number; cpu: number; cpuOfEnded: number } | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // Fields after the name, which is in brackets and may hold anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0, utime = 0, stime = 0, endedUser = 0, endedSystem = 0] = [
    fields[1],
    ...fields.slice(11, 15),
  ]
  return {
    parent,
    cpu: (utime + stime) * microsecondsPerTick,
    cpuOfEnded: (endedUser + endedSystem) * microsecondsPerTick,
  }
}
