/**
 * The two ways to run the service: one process for everything, or the API and the workers in a
 * process each.
 */
import { serviceFlags } from '../../bin/flags.mjs'
import { freePort } from '../../test/support/free-port.ts'
import { programFile } from '../../test/support/program.ts'
import { startProgram, type Measurable } from '../accept/processes.ts'

interface Part {
  flags: string[]
  /** The setting that names the port of its `/metrics`. */
  portSetting: 'FACTEUR_PORT' | 'FACTEUR_HEALTH_PORT'
}

/** The first one answers calls. */
export const setUps = {
  together: { all: { flags: [], portSetting: 'FACTEUR_PORT' } },
  apart: {
    api: { flags: ['--role', 'api'], portSetting: 'FACTEUR_PORT' },
    worker: { flags: ['--role', 'worker'], portSetting: 'FACTEUR_HEALTH_PORT' },
  },
} satisfies Record<string, Record<string, Part>>

export type SetUpName = keyof typeof setUps

export type Process = Measurable & { name: string; port: number }

export async function startSetUp(name: SetUpName, env: Record<string, string>): Promise<Process[]> {
  const started: Process[] = []
  for (const [role, { flags, portSetting }] of Object.entries<Part>(setUps[name])) {
    const port = await freePort()
    const program = await startProgram(
      [...serviceFlags, programFile, 'start', ...flags],
      { ...env, [portSetting]: String(port) },
      (line) => line.includes('"msg":"ready"'),
    )
    started.push({ ...program, name: role, port })
  }
  return started
}

/** Node measures the delay by a timer of so many milliseconds, which its figure holds. */
const timerMs = 10

/** The p99 of the event loop's delay since the last reading, in milliseconds. */
export async function readLoopDelay({ port }: Process): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1]) * 1_000 - timerMs
}
