/** Watches the event loop of the process while something is done to it. */
import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const loop = monitorEventLoopDelay({ resolution: 5 })
loop.enable()

/** The event loop never stood still for 100 ms. Other programs may take the processor away meanwhile: the best of three tries. */
export async function quietly(name: string, work: () => Promise<void>): Promise<void> {
  const pauses: number[] = []
  while (pauses.length < 3) {
    loop.reset()
    await work()
    pauses.push(loop.max / 1e6)
    if (loop.max < 100e6) return
  }
  assert.fail(`${name}: the event loop stood still for ${pauses.map(Math.round).join(', ')} ms`)
}
