/**
 * Work that may cost no more than its length: four times as much takes four times as long, and
 * sixteen times where it grows by the square.
 */
import assert from 'node:assert/strict'

/**
 * So little time on a processor, in milliseconds, that nothing of this length can have grown by the
 * square.
 */
const nothingMs = 30

/**
 * What a try costs beyond its work is the machine's, such as collected garbage and cold caches: the
 * minimum of this many is the work.
 */
const triesMax = 20

/** Time on a processor, not on a clock: a busy machine does not prolong it. */
export function assertLinear(
  name: string,
  length: number,
  work: (length: number) => unknown,
): void {
  let [first, fourth] = [Infinity, Infinity]
  for (let tries = 0; tries < triesMax; tries++) {
    first = Math.min(
      first,
      costMs(() => work(length)),
    )
    fourth = Math.min(
      fourth,
      costMs(() => work(4 * length)),
    )
    if (fourth < nothingMs || fourth / first < 8) return
  }
  assert.fail(`${name}: four times the length costs ${(fourth / first).toFixed(1)} times as much`)
}

/** Time on a processor, in milliseconds. */
export function costMs(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}
