/**
 * Warns in the log while something keeps the database from vacuuming: an old transaction, a
 * prepared one, or a replication slot.
 */
import { repeatEvery } from '../ground/clock.ts'
import { isTooOld, horizonHolders, type HorizonHolder } from '../database/client/server-state.ts'
import type { Context } from './context.ts'

const pollEveryMs = 30_000

/** Logs one line for each holder above the limit, and a new one for the next. */
export function watchHorizon(ctx: Pick<Context, 'countingDb' | 'clock' | 'log'>): { stop(): void } {
  const stopping = new AbortController()
  const warned = new Map<HorizonHolder['kind'], string | null>()
  const poll = async (): Promise<void> => {
    for (const horizonHolder of await horizonHolders(ctx.countingDb)) {
      const holder = isTooOld(horizonHolder) ? horizonHolder.holder : null
      if (holder !== null && holder !== warned.get(horizonHolder.kind))
        ctx.log.warn(
          { ...horizonHolder },
          'The database cannot clean up: something has been open for too long; see facteur doctor',
        )
      warned.set(horizonHolder.kind, holder)
    }
  }
  // Other parts log an unavailable database.
  void repeatEvery(ctx.clock, { everyMs: pollEveryMs, stopping: stopping.signal }, () =>
    poll().catch(() => undefined),
  )
  return { stop: () => stopping.abort() }
}
