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
  /** Used since the last look, and between the two looks before: the best guess at what comes next. */
  const used = { now: 0, before: 0, sinceMs: -Infinity }

  const look = (nowMs: number): void => {
    if (nowMs - used.sinceMs < keptMs) return
    used.before = nowMs - used.sinceMs < 2 * keptMs ? used.now : 0
    used.now = 0
    used.sinceMs = nowMs
  }
  const refill = async (wanted: number, nowMs: number): Promise<void> => {
    const leftover = stock
    stock = 0
    await giveBackRate(ctx, leftover)
    stock += await takeRate(ctx, Math.max(wanted, used.before, used.now), 'campaign')
    takenAtMs = nowMs
  }
  return async (wanted) => {
    const nowMs = ctx.clock.monotonicMs()
    look(nowMs)
    if (stock < wanted || nowMs - takenAtMs > keptMs) await refill(wanted, nowMs)
    const taken = Math.min(wanted, stock)
    stock -= taken
    used.now += taken
    return taken
  }
}
