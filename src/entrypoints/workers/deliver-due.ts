/** One workspace's turn: claims what is due and hands it over; now and then looks after what was lost, and when to come again. */
import { setImmediate as whenRead } from 'node:timers/promises'
import type { Service } from '../../core/context.ts'
import { giveBackRate, takeRate } from '../../core/sending/provider-rate.ts'
import { outcomeRules } from '../../core/sending/record-outcome.ts'
import { stopPendingMail } from '../../core/suppression/stop-pending-mail.ts'
import { publishFailed } from '../../core/events/status-events.ts'
import { claimRecipients, giveUpDoubts, isDoubtOverdue, releaseLostLeases } from '../../db/sending/claims.ts'
import type { BarredAddress } from '../../db/sending/claims.ts'
import { raiseDue } from '../../db/sending/due.ts'
import { handOver } from './hand-over.ts'
import type { Slots } from './slots.ts'

const lane = 'transactional'

/** How often a workspace is looked after, in milliseconds: not at each turn, since turns under load follow each other closely. */
const careEveryMs = 200

/**
 * `more`: as much as could be claimed was claimed. `later`: nothing more is due now. `full`: the provider takes nothing now, or
 * what is due cannot be settled now.
 */
export type Turn = 'more' | 'later' | 'full'

/** A worker's turns; it remembers when it looked after each workspace. */
export function createDeliverDue(
  service: Service,
  places: Slots,
): (workspaceId: number, share: number, onEnd: () => void) => Promise<Turn> {
  const lookedAfterAtMs = new Map<number, number>()
  return async (workspaceId, share, onEnd) => {
    const turn = await settleBarred(service, workspaceId, await claimAndHandOff(service, places, { workspaceId, share, onEnd }))
    const nowMs = service.clock.monotonicMs()
    if (nowMs - (lookedAfterAtMs.get(workspaceId) ?? -Infinity) < careEveryMs) return turn
    lookedAfterAtMs.set(workspaceId, nowMs)
    await settleDoubts(service, workspaceId)
    if (turn !== 'later') return turn
    await raiseDue(service.db, workspaceId, lane)
    lookedAfterAtMs.delete(workspaceId)
    return turn
  }
}

/** Rows whose worker was lost, and rows in doubt whose time is over: the failure of a row is published in the same transaction. */
async function settleDoubts(service: Service, workspaceId: number): Promise<void> {
  if (!(await isDoubtOverdue(service.db, workspaceId, lane))) return
  const owed = await service.db.transaction(async (tx) => {
    const parked = await releaseLostLeases(tx, workspaceId, lane, outcomeRules(service, workspaceId))
    const givenUp = await giveUpDoubts(tx, workspaceId, lane)
    return publishFailed(tx, workspaceId, [...parked, ...givenUp])
  })
  if (owed > 0) service.wake('webhook')
}

/** Places are reserved before anything is waited for, and kept until the provider counts the envelopes itself. */
async function claimAndHandOff(service: Service, places: Slots, asked: Asked): Promise<Claimed> {
  const { workspaceId } = asked
  const here = places.of(workspaceId)
  const reserved = here.reserve(asked.share)
  try {
    const most = await takeRate(service, { workspaceId, wanted: reserved })
    if (most <= 0) return { turn: 'full', barred: [] }
    const askedAtMs = service.clock.monotonicMs()
    const room = { most, octetsMost: here.octetsFree(), leaseSeconds: service.settings.leaseSeconds }
    const { claimed, barred } = await claimRecipients(service.db, workspaceId, lane, room)
    await service.failpoints.hit('worker.after_claim')
    const begun = await handOver(service, here, { ...asked, askedAtMs, claimed })
    await giveBackRate(service, { workspaceId, places: most - begun })
    await whenRead()
    if (begun < claimed.length) return { turn: 'full', barred }
    return { turn: claimed.length < most ? 'later' : 'more', barred }
  } finally {
    here.release(reserved)
  }
}

/** A row that could not be settled is due again at once: the pause of `full` keeps the worker from asking for it without end. */
async function settleBarred(service: Service, workspaceId: number, { turn, barred }: Claimed): Promise<Turn> {
  if (barred.length === 0) return turn
  const settled = await stopPendingMail(service, workspaceId, barred)
  if (turn !== 'later') return turn
  return settled > 0 ? 'more' : 'full'
}

interface Claimed {
  turn: Turn
  /** Suppressed addresses whose rows are due, to be settled. */
  barred: BarredAddress[]
}

interface Asked {
  workspaceId: number
  share: number
  /** Told when the outcome of a hand-off is recorded: they go on by themselves. */
  onEnd: () => void
}
