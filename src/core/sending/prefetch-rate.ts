/** Takes the provider's rate for campaigns a little ahead, so that not every claim asks the database for it. */
import type { Context } from '../context.ts'
import { giveBackRate, takeRate } from './provider-rate.ts'

/** How long what was taken ahead is kept, in milliseconds. */
const keptMs = 200

type Parts = Pick<Context, 'providers' | 'countingDb' | 'clock'>

/** How many of `wanted` messages of a workspace's campaigns may leave now. */
export type TakePrefetched = (workspaceId: number, wanted: number) => Promise<number>

/** A stock for each rate: workspaces of one provider share one. */
export function createPrefetchedRate(ctx: Parts): TakePrefetched {
  const stocks = new Map<string, TakePrefetched>()
  return (workspaceId, wanted) => {
    const rate = ctx.providers.rateOf(workspaceId)
    if (rate === null) return Promise.resolve(wanted)
    const take = stocks.get(rate.key) ?? createStock(ctx)
    stocks.set(rate.key, take)
    return take(workspaceId, wanted)
  }
}

function createStock(ctx: Parts): TakePrefetched {
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
  const refill = async (workspaceId: number, wanted: number, nowMs: number): Promise<void> => {
    const leftover = stock
    stock = 0
    await giveBackRate(ctx, { workspaceId, places: leftover })
    stock += await takeRate(ctx, { workspaceId, wanted: Math.max(wanted, used.before, used.now), lane: 'campaign' })
    takenAtMs = nowMs
  }
  return async (workspaceId, wanted) => {
    const nowMs = ctx.clock.monotonicMs()
    look(nowMs)
    if (stock < wanted || nowMs - takenAtMs > keptMs) await refill(workspaceId, wanted, nowMs)
    const taken = Math.min(wanted, stock)
    stock -= taken
    used.now += taken
    return taken
  }
}
