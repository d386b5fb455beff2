/**
 * One workspace's turn: claims due recipients and hands them over. At intervals it also ends lost
 * claims, and schedules the workspace's next turn.
 */
import { setImmediate as whenRead } from 'node:timers/promises'
import type { Service } from '../../core/context.ts'
import { giveBackRate, takeRate } from '../../core/sending/prefetch-rate.ts'
import { outcomeRules } from '../../core/sending/record-outcome.ts'
import { stopPendingMail } from '../../core/suppression/stop-pending-mail.ts'
import { publishFailed } from '../../core/events/status-events.ts'
import {
  claimRecipients,
  giveUpDoubts,
  isDoubtOverdue,
  releaseLostLeases,
  type SuppressedWithMail,
} from '../../db/sending/claims.ts'
import { msUntilWork, raiseDue } from '../../db/sending/due.ts'
import { handOver } from './hand-over.ts'
import { createScans, type Scan } from './scans.ts'
import type { Slots } from './slots.ts'

const lane = 'transactional'

/**
 * How often a workspace's lost claims are looked for, in milliseconds: not at each turn, since
 * turns under load follow each other closely.
 */
const careEveryMs = 200

/**
 * How long a workspace is without due mail before its due time is raised, in milliseconds: each
 * raise leaves a row version.
 */
const idleMs = 1000

/**
 * `more`: it claimed as much as it could. `later`: nothing more is due now. `full`: the provider
 * takes nothing now, or due rows cannot be finalized now. `idleMs`: nothing is due for so long, and
 * the due time was not raised.
 */
export type Turn = 'more' | 'later' | 'full' | { idleMs: number }

/** Creates a worker's turns, which remember up to when they looked for each workspace's rows. */
export function createDeliverDue(
  service: Service,
  slots: Slots,
): (workspaceId: number, share: number, onEnd: () => void) => Promise<Turn> {
  const scans = createScans(service.clock)
  return async (workspaceId, share, onEnd) => {
    const scan = scans.begin(workspaceId)
    // Until here the ledger was looked through: the due time is raised from there.
    const scanned = scan.scannedTo()
    const claimed = await claimAndHandOff(service, slots, { workspaceId, share, onEnd, scan })
    const turn = await completeSuppressed(service, workspaceId, claimed)
    if (scan.isCheckDue(careEveryMs)) await completeDoubts(service, workspaceId, scan)
    if (turn !== 'later') return turn
    const msUntilIdle = scan.claimedAtMs + idleMs - service.clock.monotonicMs()
    // While mail comes, the claim of this turn says where to look on.
    const msUntilNext = await msUntilWork(
      service.db,
      workspaceId,
      lane,
      msUntilIdle > 0 ? scan.scannedTo() : scanned,
    )
    const restMs = Math.min(msUntilNext ?? Infinity, msUntilIdle > 0 ? msUntilIdle : Infinity)
    if (restMs < idleMs || msUntilIdle > 0) return { idleMs: Math.max(1, Math.min(restMs, idleMs)) }
    await raiseDue(service.db, workspaceId, lane, scanned)
    return turn
  }
}

/**
 * Ends claims of lost workers and expired doubts: the failure of a row is published in the same
 * transaction.
 */
async function completeDoubts(service: Service, workspaceId: number, scan: Scan): Promise<void> {
  const [from, requestedAtMs] = [scan.checkedTo, service.clock.monotonicMs()]
  const { overdue, passedTo } = await isDoubtOverdue(service.db, workspaceId, lane, from)
  if (!overdue) return scan.checked(passedTo, { from, requestedAtMs })
  const pending = await service.db.transaction(async (tx) => {
    const parked = await releaseLostLeases(
      tx,
      workspaceId,
      lane,
      outcomeRules(service, workspaceId),
    )
    const givenUp = await giveUpDoubts(tx, workspaceId, lane)
    return publishFailed(tx, workspaceId, [...parked, ...givenUp])
  })
  if (pending > 0) service.wake('webhook')
}

/** Slots are reserved before the first wait, until the provider counts the envelopes itself. */
async function claimAndHandOff(
  service: Service,
  slots: Slots,
  request: Requested,
): Promise<Claimed> {
  const { workspaceId, scan } = request
  const here = slots.of(workspaceId)
  const reserved = here.reserve(request.share)
  try {
    const max = await takeRate(service, { workspaceId, count: reserved })
    if (max <= 0) return { turn: 'full', suppressed: [] }
    const requestedAtMs = service.clock.monotonicMs()
    const room = {
      max,
      bytesMax: here.bytesFree(),
      leaseSeconds: service.settings.leaseSeconds,
      from: scan.claimedTo,
    }
    const { claimed, suppressed, passedTo } = await claimRecipients(
      service.db,
      workspaceId,
      lane,
      room,
    )
    scan.claimed(passedTo, { rows: claimed.length, requestedAtMs })
    await service.failpoints?.hit('worker.after_claim')
    const started = await handOver(service, here, { ...request, requestedAtMs, claimed })
    await giveBackRate(service, { workspaceId, permits: max - started })
    await whenRead()
    if (started < claimed.length) return { turn: 'full', suppressed }
    return { turn: claimed.length < max ? 'later' : 'more', suppressed }
  } finally {
    here.release(reserved)
  }
}

/**
 * A row that could not be finalized is due again at once: the pause of `full` keeps the worker from
 * asking for it without end.
 */
async function completeSuppressed(
  service: Service,
  workspaceId: number,
  { turn, suppressed }: Claimed,
): Promise<Claimed['turn']> {
  if (suppressed.length === 0) return turn
  const settled = await stopPendingMail(service, { workspaceId, addresses: suppressed })
  if (turn !== 'later') return turn
  return settled > 0 ? 'more' : 'full'
}

interface Claimed {
  turn: 'more' | 'later' | 'full'
  /** Suppressed addresses with due rows, to be finalized. */
  suppressed: SuppressedWithMail[]
}

interface Requested {
  workspaceId: number
  share: number
  /** Called when the outcome of a hand-off is recorded; hand-offs do not wait for each other. */
  onEnd: () => void
  scan: Scan
}
