/**
 * Sends a campaign's mail from one process, its batch sender. Outcomes and new claims share a
 * statement and a commit. A recipient therefore costs a copy of the mail, two small writes, and
 * nothing else.
 *
 * 1. claim as many recipients as slots are free, with the values that their mails need
 * 2. fill each recipient's copy and hand it to the provider
 * 3. gather the provider's answers; record them with the next claim
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  claimStrays,
  recordAndClaim,
  type ClaimedSubscriber,
  type RecordAndClaim,
} from '../../db/campaigns/campaign-claims.ts'
import { passesLater } from '../../database/client/database-errors.ts'
import type { CampaignBatchSender, Context, BatchSenderOptions, Sending } from '../context.ts'
import { emailEvents } from '../events/email-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import { makeAttempt } from '../sending/attempt.ts'
import { createLeases, type Leases } from '../sending/leases.ts'
import type { ProviderPace } from '../sending/provider-pace.ts'
import { FinalDots } from './campaign-final-dots.ts'
import {
  attemptOf,
  leaseClaim,
  renewClaims,
  type CampaignClaim,
  type CampaignHandOff,
} from './campaign-hand-off.ts'
import { CampaignRecords } from './campaign-records.ts'

/** How long an outcome waits for others that share its statement, in milliseconds. */
const gatherMs = 8
/** The part of the slots that, once free, is worth a statement at once. */
const worthwhile = 0.75
/**
 * After this time, in milliseconds, a few free slots are worth a statement too, so that slow
 * hand-offs hold nothing up.
 */
const fewSlotsMs = 50
/**
 * The wait after a claim found no slots, and the wait after the database failed, in milliseconds.
 */
const noSlotMs = 5
const failedMs = 100
/**
 * How often released and retried recipients are claimed, in milliseconds: the claims in list order
 * have passed them.
 */
const straysEveryMs = 500
/** Copies that are filled in one turn of the event loop, so that other work gets its turn. */
const filledAtOnce = 16
/**
 * The time between two steps while single mails are sent, in milliseconds: the commit of a single
 * mail may wait for ours.
 */
const withSinglesMs = 10

interface Machinery extends Pick<Sending, 'singles'> {
  providerPace: ProviderPace
}

export class BatchSender implements CampaignBatchSender {
  readonly ended: Promise<void>
  readonly #ctx: Context
  readonly #machinery: Machinery
  readonly #options: BatchSenderOptions
  readonly #records: CampaignRecords
  readonly #dots: FinalDots
  readonly #leases: Leases<CampaignClaim>
  #share = 0
  #underWay = 0
  /** The claims have reached the end of the list, or the campaign is paused. */
  #isDry = false
  #isStopping = false
  #claimsFromMs = 0
  #requestedAtMs = 0
  #straysFromMs = 0
  #steppedAtMs = -Infinity
  #wake: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(ctx: Context, machinery: Machinery, options: BatchSenderOptions) {
    this.#ctx = ctx
    this.#machinery = machinery
    this.#options = options
    this.#records = new CampaignRecords(ctx, options.campaign)
    this.#dots = new FinalDots(ctx, options.campaign)
    this.#leases = createLeases(ctx, renewClaims(ctx, options.campaign))
    this.ended = this.#run().finally(() => {
      this.#leases.stop()
      if (this.#timer) clearTimeout(this.#timer)
    })
  }

  get workspaceId(): number {
    return this.#options.campaign.workspaceId
  }

  /** The number of recipients that this process holds. */
  get leasedCount(): number {
    return this.#leases.count()
  }

  get underWay(): number {
    return this.#underWay
  }

  setShare(share: number): void {
    if (share > this.#share) this.#look()
    this.#share = share
  }

  stop(): void {
    this.#isStopping = true
    this.#look()
  }

  async #run(): Promise<void> {
    for (;;) {
      if ((this.#isStopping || this.#isDry) && this.#leases.count() === 0) return this.#dots.end()
      const waitMs = this.#waitMs()
      if (waitMs <= 0) await this.#tryStep()
      else await this.#sleep(waitMs)
    }
  }

  /** Milliseconds until the next step. */
  #waitMs(): number {
    const nowMs = this.#ctx.clock.monotonicMs()
    const isBusy = nowMs < this.#machinery.singles.untilMs
    const restMs = isBusy ? this.#steppedAtMs + withSinglesMs - nowMs : 0
    return Math.max(restMs, this.#msUntilWorthIt(nowMs))
  }

  /**
   * Milliseconds until the next statement is worth its cost: enough outcomes or free slots exist,
   * or they waited long enough.
   */
  #msUntilWorthIt(nowMs: number): number {
    const ended = this.#records.waiting
    const room = this.#room()
    const enough = Math.max(1, Math.ceil(this.#share * worthwhile))
    if (ended >= enough || (ended > 0 && this.#underWay === 0)) return 0
    const endedMs = ended > 0 ? this.#records.sinceMs + gatherMs - nowMs : Infinity
    const fewFromMs = room < enough && this.#underWay > 0 ? this.#requestedAtMs + fewSlotsMs : 0
    return Math.min(endedMs, room > 0 ? Math.max(this.#nextClaimMs(), fewFromMs) - nowMs : Infinity)
  }

  #room(): number {
    return this.#isStopping ? 0 : Math.max(0, this.#share - this.#underWay)
  }

  /**
   * After the end of the list only retried recipients are left, so the next claim waits for their
   * turn.
   */
  #nextClaimMs(): number {
    return this.#isDry ? Math.max(this.#claimsFromMs, this.#straysFromMs) : this.#claimsFromMs
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (ms < Infinity) {
      this.#timer = setTimeout(() => {
        this.#timer = null
        this.#look()
      }, Math.ceil(ms))
    }
    await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  #look(): void {
    const wake = this.#wake
    this.#wake = null
    wake?.()
  }

  async #tryStep(): Promise<void> {
    try {
      await this.#step()
    } catch (error) {
      if (passesLater(error))
        this.#ctx.log.warn({ err: error }, 'The database did not answer; a campaign waits')
      else {
        this.#ctx.log.error(
          { err: error, ...this.#options.campaign },
          'A step of a campaign failed; its next step waits',
        )
        this.#records.giveSentToOthers()
      }
      this.#claimsFromMs = this.#ctx.clock.monotonicMs() + failedMs
      await this.#ctx.clock.sleep(failedMs)
    }
  }

  async #step(): Promise<void> {
    this.#steppedAtMs = this.#ctx.clock.monotonicMs()
    this.#release(this.#records.dropLate())
    await this.#ctx.failpoints?.hit('campaign.before_record')
    this.#release(await this.#records.recordOthers())
    const nowMs = this.#ctx.clock.monotonicMs()
    const room = nowMs < this.#nextClaimMs() ? 0 : this.#room()
    if (room > 0) this.#requestedAtMs = nowMs
    const max = room === 0 ? 0 : await this.#options.slots.take(room)
    if (room > 0 && max === 0) this.#claimsFromMs = this.#ctx.clock.monotonicMs() + noSlotMs
    let started = 0
    try {
      started = await this.#recordAndClaim(this.#isDry ? 0 : max)
      started += await this.#claimStrays(max - started)
    } finally {
      if (max > 0) this.#options.slots.release(max, started)
    }
  }

  async #recordAndClaim(max: number): Promise<number> {
    const { sent, handOffs, putBack } = this.#records.takeSent()
    if (sent.length === 0 && max === 0) return 0
    const requestedAtMs = this.#ctx.clock.monotonicMs()
    const { leaseSeconds } = this.#ctx.settings
    const { state, claimed, batchSenderId } = await this.#tellSent({
      sent,
      max,
      leaseSeconds,
    }).catch((error: unknown) => {
      putBack()
      throw error
    })
    for (const handOff of handOffs) handOff.isRecorded = true
    this.#release(handOffs)
    // A broken order that the crash sweep must notice: the ledger says sent before anything has
    // left.
    if (this.#ctx.failpoints?.broken('campaign.order'))
      await recordAndClaim(this.#ctx.db, this.#options.campaign, {
        sent: claimed.map((row) => ({ ...row, response: '' })),
        max: 0,
        leaseSeconds,
      })
    if (max > 0 && (state === null || state.rowsRead < max)) this.#isDry = true
    await this.#ctx.failpoints?.hit('campaign.after_record')
    await this.#handOverAll(claimed, { requestedAtMs, batchSenderId })
    return claimed.length
  }

  async #tellSent(request: Omit<RecordAndClaim, 'batchSenderId'>) {
    const { workspaceId, campaignId } = this.#options.campaign
    const batchSenderId = await this.#dots.batchSenderId()
    const recorded = await changeAndPublish(this.#ctx, {
      workspaceId,
      of: 'accepted batch',
      change: (db, unsubscribedTypes) =>
        recordAndClaim(db, this.#options.campaign, {
          ...request,
          batchSenderId,
          unsubscribedTypes,
        }),
      events: (tx, { done }) =>
        emailEvents(
          tx,
          workspaceId,
          done.map((subscriberId) => ({
            type: 'email.sent',
            target: { campaignId, subscriberId },
          })),
        ),
    })
    return { ...recorded, batchSenderId }
  }

  /** Claims recipients that are due for another try, at intervals. */
  async #claimStrays(max: number): Promise<number> {
    const requestedAtMs = this.#ctx.clock.monotonicMs()
    if (max === 0 || requestedAtMs < this.#straysFromMs) return 0
    this.#straysFromMs = requestedAtMs + straysEveryMs
    const { leaseSeconds } = this.#ctx.settings
    const batchSenderId = await this.#dots.batchSenderId()
    const from = this.#options.strays.from()
    const { claimed: strays, passedTo } = await claimStrays(this.#ctx.db, this.#options.campaign, {
      ...{ max, leaseSeconds, batchSenderId, from },
    })
    if (passedTo !== null) this.#options.strays.passed(passedTo, { from, requestedAtMs })
    await this.#handOverAll(strays, { requestedAtMs, batchSenderId })
    if (strays.length === max) this.#isDry = false
    return strays.length
  }

  async #handOverAll(
    claimed: ClaimedSubscriber[],
    { requestedAtMs, batchSenderId }: { requestedAtMs: number; batchSenderId: string },
  ): Promise<void> {
    if (claimed.length === 0) return
    const { workspaceId } = this.#options.campaign
    const handOffs = claimed.map((row) =>
      leaseClaim(this.#leases, { row, batchSenderId, workspaceId, requestedAtMs }),
    )
    await this.#ctx.failpoints?.hit('campaign.after_claim')
    for (const [index, handOff] of handOffs.entries()) {
      if (index > 0 && index % filledAtOnce === 0) await nextTurn()
      this.#underWay++
      void this.#handOver(handOff)
    }
  }

  async #handOver(handOff: CampaignHandOff): Promise<void> {
    const attempt = attemptOf(this.#ctx, { handOff, ...this.#options, pass: this.#dots.pass })
    const outcome = await makeAttempt(this.#ctx, {
      providerPace: this.#machinery.providerPace,
      attempt,
    })
    this.#underWay--
    this.#records.add(handOff, outcome)
    this.#ctx.counts?.ended(outcome.event)
    this.#options.onEnd(outcome.event)
    // The first outcome starts the wait for others.
    if (this.#records.waiting === 1 || this.#waitMs() <= 0) this.#look()
  }

  #release(handOffs: CampaignHandOff[]): void {
    for (const handOff of handOffs) {
      handOff.lease.release()
      if (handOff.isRecorded) this.#dots.complete(handOff)
    }
  }
}
