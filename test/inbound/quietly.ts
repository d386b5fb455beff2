/** Watches the event loop of the process while something is done to it. */
import assert from 'node:assert/strict'

const pauseMaxMs = 100
/**
 * A crowd of other programs leaves many events for one turn of the loop: the minimum of so many
 * tries is the work of one.
 */
const triesMax = 10

/**
 * The event loop never worked for 100 ms at a stretch. The time is that of the thread on a
 * processor: on a busy machine the clock runs on while other programs have it. Collecting garbage
 * may take long once.
 */
export async function quietly(name: string, work: () => Promise<void>): Promise<void> {
  const pauses: number[] = []
  while (pauses.length < triesMax) {
    const pause = await longestTurn(work)
    pauses.push(pause)
    if (pause < pauseMaxMs) return
  }
  assert.fail(
    `${name}: the event loop worked for ${pauses.map(Math.round).join(', ')} ms at a stretch`,
  )
}

/** Milliseconds on a processor between two turns of a timer, at most, while `work` runs. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
  }
  const timer = setInterval(turn, 5)
  await work().finally(() => clearInterval(timer))
  turn()
  return longest
}
