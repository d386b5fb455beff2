/**
 * Applies the rate that the provider allows, and prefetches its permits, so that not every claim
 * and not every call asks the database.
 */
import { returnPermits, takePermits } from '../../db/sending/provider-rates.ts'
import { gather } from '../../ground/gather.ts'
import type { Context } from '../context.ts'

/** How long prefetched permits may be used, in milliseconds. */
const keptMs = 200

type Parts = Pick<Context, 'providers' | 'countingDb'>

/**
 * How many seconds of the rate each lane may use in advance. Campaigns leave the rest to
 * transactional mail.
 */
const aheadSeconds = { transactional: 1, campaign: 0.5 }

/** A request for permits of the rate of the workspace's provider. */
export interface Requested {
  workspaceId: number
  count: number
  /** Default `transactional`. */
  lane?: 'transactional' | 'campaign'
}

/**
 * Returns how many of `count` messages may leave now: all of them when the provider has no rate.
 */
export function takeRate(
  ctx: Parts,
  { workspaceId, count, lane = 'transactional' }: Requested,
): Promise<number> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (count <= 0 || rate === null) return Promise.resolve(count)
  return takePermits(ctx.countingDb, rate.key, rate.perSecond, count, aheadSeconds[lane])
}

/** Returns the permits of messages that did not leave, so that other messages can use them. */
export async function giveBackRate(
  ctx: Parts,
  { workspaceId, permits }: { workspaceId: number; permits: number },
): Promise<void> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (permits > 0 && rate !== null)
    await returnPermits(ctx.countingDb, rate.key, rate.perSecond, permits)
}

/** Returns how many of `count` messages of a workspace may leave now. */
export type TakePrefetched = (workspaceId: number, count: number) => Promise<number>

type Lane = NonNullable<Requested['lane']>

/** Keeps one stock per rate: workspaces of the same provider share it. */
export function createPrefetchedRate(
  ctx: Parts & Pick<Context, 'clock'>,
  lane: Lane,
): TakePrefetched {
  const stocks = new Map<string, TakePrefetched>()
  return (workspaceId, count) => {
    const rate = ctx.providers.rateOf(workspaceId)
    if (rate === null) return Promise.resolve(count)
    const take = stocks.get(rate.key) ?? createStock(ctx, lane)
    stocks.set(rate.key, take)
    return take(workspaceId, count)
  }
}

function createStock(ctx: Parts & Pick<Context, 'clock'>, lane: Lane): TakePrefetched {
  let stock = 0
  let takenAtMs = -Infinity
  /** Permits used in the current period and in the previous one: they predict the next refill. */
  const used = { now: 0, before: 0, sinceMs: -Infinity }

  const refresh = (nowMs: number): void => {
    if (nowMs - used.sinceMs < keptMs) return
    used.before = nowMs - used.sinceMs < 2 * keptMs ? used.now : 0
    used.now = 0
    used.sinceMs = nowMs
  }
  const refill = async (workspaceId: number, count: number, nowMs: number): Promise<void> => {
    const leftover = stock
    stock = 0
    await giveBackRate(ctx, { workspaceId, permits: leftover })
    stock += await takeRate(ctx, {
      workspaceId,
      count: Math.max(count, used.before, used.now),
      lane,
    })
    takenAtMs = nowMs
  }
  const takeNow = (count: number): number => {
    const taken = Math.min(count, stock)
    stock -= taken
    used.now += taken
    return taken
  }
  const isEnough = (count: number, nowMs: number): boolean =>
    stock >= count && nowMs - takenAtMs <= keptMs

  // Concurrent callers share a refill.
  const takeTogether = gather<{ workspaceId: number; count: number }, number>({
    groupMax: 256,
    work: async (requested) => {
      const nowMs = ctx.clock.monotonicMs()
      const sum = requested.reduce((before, { count }) => before + count, 0)
      if (requested[0] && !isEnough(sum, nowMs)) await refill(requested[0].workspaceId, sum, nowMs)
      return requested.map(({ count }) => takeNow(count))
    },
  })
  return async (workspaceId, count) => {
    const nowMs = ctx.clock.monotonicMs()
    refresh(nowMs)
    return isEnough(count, nowMs) ? takeNow(count) : takeTogether({ workspaceId, count })
  }
}
