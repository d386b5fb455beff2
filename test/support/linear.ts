/** Work that may cost no more than its length: four times as much takes four times as long, and sixteen times where it grows by the square. */
import assert from 'node:assert/strict'

/** So little time on a processor, in milliseconds, that nothing of this length can have grown by the square. */
const nothingMs = 30

/** Time on a processor, not on a clock: what else the machine does is not counted. Collecting garbage may take long once: the best of three tries. */
export function assertLinear(name: string, length: number, work: (length: number) => unknown): void {
  const ratios: number[] = []
  while (ratios.length < 3) {
    const [one, four] = [costMs(() => work(length)), costMs(() => work(4 * length))]
    ratios.push(four / one)
    if (four < nothingMs || four / one < 8) return
  }
  assert.fail(`${name}: four times the length costs ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')} times as much`)
}

function costMs(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1_000
}
