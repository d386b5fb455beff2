/** Renews the leases of the recipients that this process hands over. A step may begin only while enough of its lease is left. */
import { renewLeases } from '../../db/sending/claims.ts'
import type { HeldRow } from '../../db/sending/claims.ts'
import type { Lease } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

/** A held row, and the time on the monotonic clock at which its lease was requested. */
export interface Held extends HeldRow {
  workspaceId: number
  askedAtMs: number
}

export interface Leases {
  /** Renews the row's lease until `release`. */
  hold(held: Held): Pick<Lease, 'mayProceed'> & { release(): void }
  /** Counts the rows that are held now, of all workspaces or of the selected ones. */
  count(isAskedFor?: (workspaceId: number) => boolean): number
  /** Stops the renewals. */
  stop(): void
}

/**
 * Renews after each third of the lease (30 s of 90), separately for each workspace. Failed renewals are retried while a lease
 * lasts.
 * A step may begin only while a sixth of the lease (15 s) is left.
 */
export function createLeases(ctx: Pick<Context, 'db' | 'clock' | 'log' | 'settings' | 'failpoints'>): Leases {
  const leaseMs = ctx.settings.leaseSeconds * 1000
  const held = new Map<Held, { endsAtMs: number }>()
  const stopped = new AbortController()
  const renewing = new Set<number>()

  const heldOf = (workspaceId: number): Held[] => [...held.keys()].filter((row) => row.workspaceId === workspaceId)

  const renew = async (workspaceId: number): Promise<void> => {
    const rows = heldOf(workspaceId)
    if (rows.length === 0) return
    const askedAtMs = ctx.clock.monotonicMs()
    const kept = await renewLeases(ctx.db, workspaceId, rows, ctx.settings.leaseSeconds)
    const names = new Set(kept.map(nameOf))
    for (const row of rows) {
      const watch = held.get(row)
      if (watch) watch.endsAtMs = names.has(nameOf(row)) ? askedAtMs + leaseMs : -Infinity
    }
  }

  /** Each try includes the workspace's new rows, so that none of them waits for the next round. */
  const keepTrying = async (workspaceId: number): Promise<void> => {
    if (renewing.has(workspaceId)) return
    renewing.add(workspaceId)
    const isAlive = (row: Held): boolean => (held.get(row)?.endsAtMs ?? -Infinity) > ctx.clock.monotonicMs()
    do {
      try {
        await renew(workspaceId)
        break
      } catch (error) {
        ctx.log.warn({ err: error, workspaceId }, 'Leases were not renewed; it is tried again')
        await ctx.clock.sleep(leaseMs / retriesPerLease, stopped.signal).catch(() => undefined)
      }
    } while (!stopped.signal.aborted && heldOf(workspaceId).some(isAlive))
    renewing.delete(workspaceId)
  }

  const timer = setInterval(() => {
    for (const workspaceId of new Set(held.keys().map((row) => row.workspaceId))) void keepTrying(workspaceId)
  }, leaseMs / 3)
  timer.unref()

  return {
    hold(row) {
      const watch = { endsAtMs: row.askedAtMs + leaseMs }
      held.set(row, watch)
      return {
        mayProceed: () => ctx.failpoints.broken('lease.watch') || ctx.clock.monotonicMs() < watch.endsAtMs - leaseMs / 6,
        release: () => void held.delete(row),
      }
    },
    count(isAskedFor) {
      if (!isAskedFor) return held.size
      let sum = 0
      for (const { workspaceId } of held.keys()) if (isAskedFor(workspaceId)) sum++
      return sum
    },
    stop() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}

/** The number of retries that fit into one lease: a failed renewal is retried every 3 s of 90. */
const retriesPerLease = 30

const nameOf = (row: HeldRow): string => `${row.messageId}/${row.position}/${row.fence}`
