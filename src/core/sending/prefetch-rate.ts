/** Prefetches permits of the provider's rate for campaigns, so that not every claim asks the database. */
import type { Context } from '../context.ts'
import { giveBackRate, takeRate } from './provider-rate.ts'

/** How long prefetched permits may be used, in milliseconds. */
const keptMs = 200

type Parts = Pick<Context, 'providers' | 'countingDb' | 'clock'>

/** Returns how many of `wanted` campaign messages of a workspace may leave now. */
export type TakePrefetched = (workspaceId: number, wanted: number) => Promise<number>

/** Keeps one stock per rate: workspaces of the same provider share it. */
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
  /** Permits used in the current period and in the previous one: they predict the next refill. */
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
    await giveBackRate(ctx, { workspaceId, permits: leftover })
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
