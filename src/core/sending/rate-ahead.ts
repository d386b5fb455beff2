/** Takes the provider's rate for campaigns a little ahead, so that not every claim asks the database for it. */
import type { Context } from '../context.ts'
import { giveBackRate, takeRate } from './provider-rate.ts'

/** How long what was taken ahead is kept, in milliseconds. */
const keptMs = 200

/** How many of `wanted` messages of campaigns may leave now. */
export type TakeAhead = (wanted: number) => Promise<number>

export function createRateAhead(ctx: Pick<Context, 'provider' | 'countingDb' | 'settings' | 'clock'>): TakeAhead {
  let stock = 0
  let takenAtMs = -Infinity
  let used = 0
  const refill = async (wanted: number): Promise<void> => {
    const nowMs = ctx.clock.monotonicMs()
    const leftover = stock
    stock = 0
    await giveBackRate(ctx, leftover)
    // As much as was used within the last such time, which is the best guess at the next.
    stock += await takeRate(ctx, Math.max(wanted, nowMs - takenAtMs < 2 * keptMs ? used : 0), 'campaign')
    takenAtMs = nowMs
    used = 0
  }
  return async (wanted) => {
    if (stock < wanted || ctx.clock.monotonicMs() - takenAtMs > keptMs) await refill(wanted)
    const taken = Math.min(wanted, stock)
    stock -= taken
    used += taken
    return taken
  }
}
