/**
 * A process of the service on a host, which is started again whenever it ends. A test kills it,
 * freezes it and sets its clock wrong.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rest } from '../support/fault-calls.ts'
import {
  startServiceProcess,
  type ServiceOptions,
  type ServiceProcess,
} from '../support/fault-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { counted, on, type Heal, type Host } from './network.ts'

export interface HostProcess {
  /** Resolves when it is ready for the first time. */
  ready: Promise<void>
  /** SIGKILL; it is started again at once. */
  kill(): void
  freeze(): Heal
  /** Its wall clock is wrong by so many seconds until the fault ends. */
  skew(seconds: number): Heal
  /** As of its present life. */
  pausesAt(name: string): Promise<unknown>
  letGo(): void
  /** Whether its present life is ready. */
  isReady(): boolean
  /** How often it was ready for the first time. */
  lives(): number
  /** Its last lines where it ended by itself after it was ready. */
  ends: string[]
  /** What its present life has said last. */
  lastLines(): string
  /** For good. */
  stop(): Promise<void>
}

/** The wall clock of each host, as a file of seconds. */
let clocks: string | null = null

export function keepProcess(
  host: Host,
  options: Omit<ServiceOptions, 'prefix' | 'nodeFlags'>,
): HostProcess {
  clocks ??= makeTemporaryFolder('clocks')
  const clock = join(clocks, host)
  const setClock = (seconds: number): void => writeFileSync(clock, String(seconds))
  setClock(0)
  const ends: string[] = []
  const stopping = new AbortController()
  let current: ServiceProcess | null = null
  let lives = 0
  const first = Promise.withResolvers<void>()
  const liveAgainAndAgain = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const life = await startServiceProcess({
        ...options,
        prefix: [...on(host), 'env', `TEST_CLOCK_FILE=${clock}`],
        nodeFlags: ['--import', join(import.meta.dirname, 'skewed-clock.mjs')],
        // The database may be away when it starts again: then it ends, and its supervisor goes on.
        // At the first start it is there.
      }).catch((error: unknown) => (first.reject(error), null))
      if (life === null) {
        await rest(300)
        continue
      }
      current = life
      lives++
      if (stopping.signal.aborted) return life.kill()
      first.resolve()
      const end = await life.ended
      if (end !== 'SIGKILL') ends.push(`${host} ended with ${end}:\n${life.lastLines()}`)
    }
  }
  const ended = liveAgainAndAgain()
  const signal = (name: NodeJS.Signals): void => {
    if (current?.isAlive()) current.signal(name)
  }
  return {
    ready: first.promise,
    ends,
    kill: () => signal('SIGKILL'),
    freeze: () =>
      counted(`${host} frozen`, { begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') }),
    skew: (seconds) =>
      counted(`${host} skewed`, { begin: () => setClock(seconds), end: () => setClock(0) }),
    pausesAt: async (name) => current?.pausesAt(name),
    letGo: () => signal('SIGUSR2'),
    isReady: () => current?.isAlive() === true,
    lives: () => lives,
    lastLines: () => current?.lastLines() ?? '',
    async stop() {
      stopping.abort()
      signal('SIGKILL')
      await ended
    },
  }
}
