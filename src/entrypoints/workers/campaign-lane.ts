/**
 * The campaign lane: which campaigns this process sends, each with its share of the slots, in turns
 * when they are many.
 */
import { maintainCampaign } from '../../core/campaigns/maintain-campaign.ts'
import { openBatchSender } from '../../core/campaigns/open-batch-sender.ts'
import type { CampaignBatchSender, Service } from '../../core/context.ts'
import type { TakePrefetched } from '../../core/sending/prefetch-rate.ts'
import { campaignsAtWork, type CampaignAtWork } from '../../db/campaigns/campaign-work.ts'
import { goBehind, raiseCampaignDue } from '../../db/sending/due.ts'
import type { ScannedCampaign } from '../../db/sending/scanned-campaigns.ts'
import { ScanMark } from '../../ground/scan-mark.ts'
import { startLaneLoop, type LaneLoop, type Skip } from './lane-loop.ts'
import { createScheduledStarts, type ScheduledStarts } from './scheduled-starts.ts'
import { besideOthers, type Slots, type ProviderSlots } from './slots.ts'

/** Campaigns that one process sends at once; with more of them, each has its turn. */
const sendersMax = 8
const turnMs = 1_000
/**
 * How often a running campaign is maintained, and how often the lane looks for campaigns, in
 * milliseconds.
 */
const maintainEveryMs = 500
const pollEveryMs = 100
/**
 * While single mails are sent, all campaigns of this process claim so many recipients in one step.
 * Turns of the event loop and statements stay short.
 */
const withSinglesMax = 16
const restMs = 1_000
/**
 * Lost recipients are looked for behind the last look; those that a clock that was set back put
 * before it are found so often.
 */
const allLostEveryMs = 600_000

export interface ActiveSender {
  workspaceId: number
  campaignId: string
  sender: CampaignBatchSender
  sinceMs: number
  /**
   * The batch sender claims nothing more and finishes its hand-offs; its turn is over, however long
   * they take.
   */
  isStopping: boolean
}

/**
 * It has ended once the batch senders have stopped and all their claims have a recorded outcome.
 */
export function startCampaignLane(
  service: Service,
  bounds: CampaignBounds,
  stopping: AbortSignal,
): LaneLoop {
  const lane = new Lane(service, bounds, stopping)
  return { wake: lane.loop.wake, ended: lane.end() }
}

/** What the lanes of all cells of this process share. */
interface CampaignBounds {
  slots: Slots
  running: Set<ActiveSender>
  takeRate: TakePrefetched
}

class Lane {
  readonly #service: Service
  readonly #slots: Slots
  readonly #stopping: AbortSignal
  readonly #takeRate: TakePrefetched
  readonly #starts: ScheduledStarts
  readonly loop: LaneLoop
  /** Those of this cell, and of all. */
  readonly #running = new Map<string, ActiveSender>()
  readonly #everywhere: Set<ActiveSender>
  /** When each campaign was last maintained, and last checked for lost claims. */
  readonly #maintainedAtMs = new Map<string, { allMs: number; lostMs: number }>()
  /**
   * Up to when the strays of each campaign were claimed, and up to when lost ones were looked for.
   */
  readonly #strays = new Map<string, { claims: ScanMark; lost: ScanMark }>()

  constructor(
    service: Service,
    { slots, running, takeRate }: CampaignBounds,
    stopping: AbortSignal,
  ) {
    this.#service = service
    this.#slots = slots
    this.#everywhere = running
    this.#stopping = stopping
    this.#takeRate = takeRate
    this.#starts = createScheduledStarts(service)
    this.loop = startLaneLoop(service, { lane: 'campaign', stopping }, async (due, rest) => {
      let waiting = 0
      for (const workspaceId of due) waiting += await this.#tryMaintain(workspaceId, rest)
      this.#stopHeld()
      this.#takeTurns(waiting)
      this.#divide()
      // A due campaign without a batch sender was maintained just now, and may have more work.
      return this.#running.size > 0 || due.length > 0 ? pollEveryMs : null
    })
  }

  async end(): Promise<void> {
    await this.loop.ended
    for (const { sender } of this.#running.values()) sender.stop()
    await Promise.all([
      this.#starts.ended(),
      ...[...this.#running.values()].map(({ sender }) => sender.ended),
    ])
  }

  /**
   * Maintains a workspace's campaigns; after a failure only that workspace is skipped for a while.
   * Returns how many campaigns wait for a batch sender.
   */
  async #tryMaintain(workspaceId: number, rest: Skip): Promise<number> {
    try {
      return await this.#maintainAll(workspaceId, rest)
    } catch (error) {
      this.#service.log.error(
        { err: error, lane: 'campaign', workspaceId },
        'A turn of a workspace failed; its next turn waits for a moment',
      )
      rest(workspaceId, restMs)
      return 0
    }
  }

  async #maintainAll(workspaceId: number, rest: Skip): Promise<number> {
    const { db, settings } = this.#service
    let waiting = 0
    for (const campaign of await campaignsAtWork(db, workspaceId, this.#scannedAt(workspaceId))) {
      if (campaign.status === 'scheduled') {
        const restNow = (): void => rest(workspaceId, restMs)
        if (campaign.isDue) this.#starts.begin({ ...campaign, workspaceId, rest: restNow })
        continue
      }
      const key = `${workspaceId}/${campaign.id}`
      await this.#maintain(key, workspaceId, campaign)
      if (this.#running.has(key) || !campaign.isClaimable || this.#stopping.aborted) continue
      if (this.#goingOn().length < sendersMax) await this.#open(key, workspaceId, campaign.id)
      else waiting++
    }
    const isSending = [...this.#running.values()].some(
      (active) => active.workspaceId === workspaceId,
    )
    if (!isSending && waiting === 0)
      await raiseCampaignDue(
        db,
        workspaceId,
        settings.leaseSeconds / 3,
        this.#scannedAt(workspaceId).scanned,
      )
    return waiting
  }

  /**
   * The campaigns of a workspace that this process sends now, and up to when the strays of each
   * were claimed.
   */
  #scannedAt(workspaceId: number): { sent: string[]; scanned: ScannedCampaign[] } {
    const sent = [...this.#running.values()]
      .filter((active) => active.workspaceId === workspaceId)
      .map(({ campaignId }) => campaignId)
    const scanned = [...this.#strays].flatMap(([key, { claims }]) => {
      const [id, campaignId = ''] = key.split('/')
      const passedTo = claims.from()
      return id === `${workspaceId}` && passedTo
        ? [{ campaignId, passedTo, fullInSeconds: claims.fullInSeconds() }]
        : []
    })
    return { sent, scanned }
  }

  #straysOf(key: string): { claims: ScanMark; lost: ScanMark } {
    const { clock } = this.#service
    const strays = this.#strays.get(key) ?? {
      claims: new ScanMark(clock),
      lost: new ScanMark(clock, allLostEveryMs),
    }
    this.#strays.set(key, strays)
    return strays
  }

  async #maintain(key: string, workspaceId: number, campaign: CampaignAtWork): Promise<void> {
    const nowMs = this.#nowMs()
    const maintained = this.#maintainedAtMs.get(key) ?? { allMs: -Infinity, lostMs: -Infinity }
    if (this.#running.has(key) && nowMs - maintained.allMs < maintainEveryMs) return
    const lost = nowMs - maintained.lostMs >= (this.#service.settings.leaseSeconds * 1000) / 3
    this.#maintainedAtMs.set(key, { allMs: nowMs, lostMs: lost ? nowMs : maintained.lostMs })
    await maintainCampaign(this.#service, {
      key: { workspaceId, campaignId: campaign.id },
      ...campaign,
      lost: lost ? this.#straysOf(key).lost : null,
    })
    if (campaign.pending > 0) return
    this.#maintainedAtMs.delete(key)
    this.#strays.delete(key)
  }

  async #open(key: string, workspaceId: number, campaignId: string): Promise<void> {
    let here = this.#slots.of(workspaceId)
    const sender = await openBatchSender(this.#service, {
      campaign: { workspaceId, campaignId },
      strays: this.#straysOf(key).claims,
      slots: {
        take: (count) => {
          here = this.#slots.of(workspaceId)
          return this.#take(here, workspaceId, count)
        },
        release: (count) => here.release(count),
      },
    })
    if (!sender) return
    const active = { workspaceId, campaignId, sender, sinceMs: this.#nowMs(), isStopping: false }
    this.#running.set(key, active)
    this.#everywhere.add(active)
    void sender.ended.then(() => {
      this.#running.delete(key)
      this.#everywhere.delete(active)
      this.loop.wake()
    })
  }

  /**
   * Takes slots of the provider, then permits of its rate, and releases the slots that got no
   * permit.
   */
  async #take(here: ProviderSlots, workspaceId: number, count: number): Promise<number> {
    const reserved = here.reserveBeside(this.#besideSingles(count), this.#underWay(here))
    if (reserved === 0) return 0
    const granted = await this.#takeRate(workspaceId, reserved).catch((error: unknown) => {
      here.release(reserved)
      throw error
    })
    here.release(reserved - granted)
    return granted
  }

  #besideSingles(count: number): number {
    const { clock, sending } = this.#service
    if (clock.monotonicMs() >= sending.singles.untilMs) return count
    return Math.min(count, Math.max(1, Math.floor(withSinglesMax / this.#everywhere.size)))
  }

  /** The last step of a move waits for their hand-offs. */
  #stopHeld(): void {
    for (const active of this.#goingOn()) {
      if (!this.#service.databases.pausedWorkspaces().has(active.workspaceId)) continue
      active.isStopping = true
      active.sender.stop()
    }
  }

  /** While others wait, the campaign that ran longest stops its turn and goes behind them. */
  #takeTurns(waiting: number): void {
    if (waiting === 0) return
    const oldest = this.#goingOn().toSorted((a, b) => a.sinceMs - b.sinceMs)
    for (const active of oldest.slice(0, waiting)) {
      const { sender, workspaceId, sinceMs } = active
      if (this.#nowMs() - sinceMs < turnMs) break
      active.isStopping = true
      sender.stop()
      void sender.ended
        .then(() => goBehind(this.#service.countingDb, workspaceId, 'campaign'))
        .catch(() => undefined)
    }
  }

  #goingOn(): ActiveSender[] {
    return [...this.#running.values()].filter(({ isStopping }) => !isStopping)
  }

  /** Divides a provider's slots for campaigns equally among those that leave by it. */
  #divide(): void {
    const goingOn = [...this.#everywhere].filter(({ isStopping }) => !isStopping)
    for (const [here, active] of Map.groupBy(goingOn, ({ workspaceId }) =>
      this.#slots.of(workspaceId),
    )) {
      const all = besideOthers(here.free() + this.#underWay(here))
      for (const { sender } of active) sender.setShare(Math.max(1, Math.floor(all / active.length)))
    }
  }

  /** Hand-offs in flight of all campaigns, with the provider of these slots. */
  #underWay(here: ProviderSlots): number {
    let sum = 0
    for (const { sender, workspaceId } of this.#everywhere)
      if (this.#slots.of(workspaceId) === here) sum += sender.underWay
    return sum
  }

  #nowMs(): number {
    return this.#service.clock.monotonicMs()
  }
}
