/**
 * Renews the leases of the recipients that this process hands over. A step may begin only while
 * enough of its lease is left.
 */
import type { Lease } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

/**
 * A held row: its workspace, and the time on the monotonic clock at which its lease was requested.
 */
export interface LeasedSince {
  workspaceId: number
  requestedAtMs: number
}

export interface TrackedLease extends Pick<Lease, 'mayProceed'> {
  hasEnded(): boolean
  release(): void
}

export interface Leases<Row> {
  /** Renews the row's lease until `release`. */
  track(row: Row): TrackedLease
  /** Counts the rows that are held now, of all workspaces or of the selected ones. */
  count(isIncluded?: (workspaceId: number) => boolean): number
  /** Stops the renewals. */
  stop(): void
}

/**
 * Renews the leases of one workspace's rows in their ledger; returns the rows that this process
 * still holds.
 */
export type Renew<Row> = (workspaceId: number, rows: Row[]) => Promise<Row[]>

/**
 * Renews after each third of the lease (30 s of 90), separately for each workspace. Failed renewals
 * are retried while a lease lasts. A step may begin only while a sixth of the lease (15 s) is left.
 */
export function createLeases<Row extends LeasedSince>(
  ctx: Pick<Context, 'clock' | 'log' | 'settings' | 'failpoints'>,
  renewRows: Renew<Row>,
): Leases<Row> {
  const leaseMs = ctx.settings.leaseSeconds * 1000
  const tracked = new Map<Row, { endsAtMs: number }>()
  const stopped = new AbortController()
  const renewing = new Set<number>()

  const trackedRows = (workspaceId: number): Row[] =>
    [...tracked.keys()].filter((row) => row.workspaceId === workspaceId)

  const renew = async (workspaceId: number): Promise<void> => {
    const rows = trackedRows(workspaceId)
    if (rows.length === 0) return
    const requestedAtMs = ctx.clock.monotonicMs()
    const renewed = new Set(await renewRows(workspaceId, rows))
    for (const row of rows) {
      const watch = tracked.get(row)
      if (watch) watch.endsAtMs = renewed.has(row) ? requestedAtMs + leaseMs : -Infinity
    }
  }

  /** Each try includes the workspace's new rows, so that none of them waits for the next round. */
  const keepTrying = async (workspaceId: number): Promise<void> => {
    if (renewing.has(workspaceId)) return
    renewing.add(workspaceId)
    const isAlive = (row: Row): boolean =>
      (tracked.get(row)?.endsAtMs ?? -Infinity) > ctx.clock.monotonicMs()
    do {
      try {
        await renew(workspaceId)
        break
      } catch (error) {
        ctx.log.warn({ err: error, workspaceId }, 'Leases were not renewed; the renewal is retried')
        await ctx.clock.sleep(leaseMs / retriesPerLease, stopped.signal).catch(() => undefined)
      }
    } while (!stopped.signal.aborted && trackedRows(workspaceId).some(isAlive))
    renewing.delete(workspaceId)
  }

  const timer = setInterval(() => {
    for (const workspaceId of new Set(tracked.keys().map((row) => row.workspaceId)))
      void keepTrying(workspaceId)
  }, leaseMs / 3)
  timer.unref()

  return {
    track(row) {
      const watch = { endsAtMs: row.requestedAtMs + leaseMs }
      tracked.set(row, watch)
      return {
        mayProceed: () =>
          ctx.failpoints?.broken('lease.watch') ||
          ctx.clock.monotonicMs() < watch.endsAtMs - leaseMs / 6,
        hasEnded: () => ctx.clock.monotonicMs() >= watch.endsAtMs,
        release: () => void tracked.delete(row),
      }
    },
    count(isIncluded) {
      if (!isIncluded) return tracked.size
      let sum = 0
      for (const { workspaceId } of tracked.keys()) if (isIncluded(workspaceId)) sum++
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
