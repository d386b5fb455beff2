/** Keeps the leases of what this process hands over, and lets nobody begin a step that its lease may not outlast. */
import { renewLeases } from '../../db/claims.ts'
import type { HeldRow } from '../../db/claims.ts'
import type { Lease } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

/** A held row and the moment, on the monotonic clock, at which its lease was asked for. */
export interface Held extends HeldRow {
  workspaceId: number
  askedAtMs: number
}

export interface Leases {
  /** Watches over a row until `release`. */
  hold(held: Held): Lease & { release(): void }
  /** Rows held now. */
  count(): number
  /** Ends the renewals. */
  stop(): void
}

/** Renews each third of the lease (30 s of 90); a step needs a sixth of it (15 s) to be left. */
export function createLeases(ctx: Pick<Context, 'db' | 'clock' | 'log' | 'settings' | 'failpoints'>): Leases {
  const leaseMs = ctx.settings.leaseSeconds * 1000
  const held = new Map<Held, { endsAtMs: number }>()

  const renew = async (): Promise<void> => {
    const byWorkspace = Map.groupBy(held.keys(), (row) => row.workspaceId)
    for (const [workspaceId, rows] of byWorkspace) {
      const askedAtMs = ctx.clock.monotonicMs()
      const kept = await renewLeases(ctx.db, workspaceId, rows, ctx.settings.leaseSeconds)
      const names = new Set(kept.map(nameOf))
      for (const row of rows) {
        const watch = held.get(row)
        if (watch) watch.endsAtMs = names.has(nameOf(row)) ? askedAtMs + leaseMs : -Infinity
      }
    }
  }

  const timer = setInterval(() => {
    if (held.size > 0) renew().catch((error: unknown) => ctx.log.warn({ err: error }, 'Leases were not renewed'))
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
    count: () => held.size,
    stop: () => clearInterval(timer),
  }
}

const nameOf = (row: HeldRow): string => `${row.messageId}/${row.position}/${row.fence}`
