/**
 * Failpoints: named positions in the code where a test kills, breaks or delays the process.
 * They are compiled in and inert: null when no test has set any, so that nothing is called.
 * `FACTEUR_FAILPOINTS` is a list of `name:action[@which]`, separated by commas:
 *
 * 1. action: `kill` (SIGKILL to ourselves), `throw`, `delay:MS`, `hold` (until SIGUSR2; standard
 *    error names the place that holds), `broken` (for the variants that the tests must catch)
 * 2. which: `@3` the third time, `@3+` from the third on, `@10%` one time in ten (`@10%7`: with the
 *    seed 7); without it, each time
 */
import type { Clock } from './clock.ts'
import { OperatorError } from './operator-error.ts'

export interface Failpoints {
  /** The code calls it at the named position. Undefined when there is nothing to wait for. */
  hit(name: string): Promise<void> | undefined
  /** Whether the test wants the deliberately broken variant; each call counts as one time. */
  broken(name: string): boolean
}

interface Failpoint {
  action: 'kill' | 'throw' | 'delay' | 'hold' | 'broken'
  delayMs: number
  isTime: () => boolean
}

/** Throws `OperatorError` when the text is not such a list. */
export function createFailpoints(text: string, clock: Pick<Clock, 'sleep'>): Failpoints | null {
  if (text.trim() === '') return null
  const points = parseFailpoints(text)
  const released = new Promise<void>((resolve) => process.once('SIGUSR2', resolve))
  return {
    hit(name) {
      const point = points.get(name)
      if (!point || point.action === 'broken' || !point.isTime()) return undefined
      if (point.action === 'kill') return die()
      if (point.action === 'throw') throw new Error(`failpoint ${name}`)
      if (point.action === 'hold') {
        process.stderr.write(`failpoint ${name} holds\n`)
        return released
      }
      return clock.sleep(point.delayMs)
    },
    broken(name) {
      const point = points.get(name)
      return point?.action === 'broken' && point.isTime()
    },
  }
}

/** Blocks until the signal arrives, so that no further code runs. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

/** By name. Throws like `createFailpoints`. */
export const parseFailpoints = (text: string): Map<string, Failpoint> =>
  new Map(text.split(',').map(parse))

const pattern =
  /^(?<name>[a-z_.]+):(?<action>kill|throw|hold|broken|delay:(?<delay>\d+))(?:@(?<which>\d+\+?|(?<percent>\d+)%(?<seed>\d*)))?$/

function parse(text: string): [string, Failpoint] {
  const match = pattern.exec(text.trim())?.groups
  if (!match)
    throw new OperatorError(
      `FACTEUR_FAILPOINTS: "${text.trim()}" is not name:kill|throw|hold|broken|delay:MS, with @N, @N+ or @P% at most`,
    )
  const { name = '', action = '', delay, which, percent, seed } = match
  const isTime =
    percent === undefined ? atCount(which) : atChance(Number(percent), Number(seed || '1'))
  return [
    name,
    {
      action: (delay === undefined ? action : 'delay') as Failpoint['action'],
      delayMs: Number(delay ?? '0'),
      isTime,
    },
  ]
}

function atCount(which: string | undefined): () => boolean {
  if (which === undefined) return () => true
  const from = Number.parseInt(which, 10)
  let hits = 0
  return which.endsWith('+') ? () => ++hits >= from : () => ++hits === from
}

/**
 * A linear congruential generator (Numerical Recipes' constants): the same seed gives the same run.
 */
function atChance(percent: number, seed: number): () => boolean {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 < percent / 100
  }
}
