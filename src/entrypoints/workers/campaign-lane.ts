/** The campaign lane: which campaigns this process sends, each with its share of the slots, in turns when they are many. */
import { maintainCampaign } from '../../core/campaigns/maintain-campaign.ts'
import { openBatchSender } from '../../core/campaigns/open-batch-sender.ts'
import { startScheduled } from '../../core/campaigns/start-scheduled.ts'
import type { CampaignBatchSender, Service } from '../../core/context.ts'
import { createPrefetchedRate, type TakePrefetched } from '../../core/sending/prefetch-rate.ts'
import { campaignsAtWork, type CampaignAtWork } from '../../db/campaigns/campaign-work.ts'
import { dueWorkspaces, goBehind, msUntilDue, raiseCampaignDue } from '../../db/sending/due.ts'
import { besideOthers, type Slots, type ProviderSlots } from './slots.ts'

export interface CampaignLane {
  wake(): void
  /** Resolves once the batch sender has stopped and all its claims have a recorded outcome. */
  ended: Promise<void>
}

/** Campaigns that one process sends at once; with more of them, each has its turn. */
const sendersMax = 8
const turnMs = 1_000
/** How often a running campaign is maintained, and how often the lane looks for campaigns, in milliseconds. */
const careEveryMs = 500
const lookEveryMs = 100
const napMaxMs = 1_000
const workspacesAtOnce = 50
/**
 * While single mails leave by this process, campaigns claim a quarter of their slots at once and then rest, in
 * milliseconds. Turns of the event loop stay short, and the database and the processors are free most of the time.
 */
const besideSingles = { share: 1 / 4, restMs: 10 }
const restMs = 1_000

interface ActiveSender {
  workspaceId: number
  campaignId: string
  sender: CampaignBatchSender
  sinceMs: number
  /** The batch sender claims nothing more and finishes its hand-offs; its turn is over, however long they take. */
  isStopping: boolean
}

export function startCampaignLane(service: Service, slots: Slots, stopping: AbortSignal): CampaignLane {
  const lane = new Lane(service, slots, stopping)
  return { wake: () => lane.wake(), ended: lane.run() }
}

class Lane {
  readonly #service: Service
  readonly #places: Slots
  readonly #stopping: AbortSignal
  readonly #takeRate: TakePrefetched
  readonly #walking = new Map<string, ActiveSender>()
  /** When each campaign was last maintained, and last checked for lost claims. */
  readonly #caredAtMs = new Map<string, { allMs: number; lostMs: number }>()
  readonly #restsUntilMs = new Map<number, number>()
  #restsFromSinglesMs = -Infinity
  #interrupt: (() => void) | null = null
  #isWoken = false

  constructor(service: Service, slots: Slots, stopping: AbortSignal) {
    this.#service = service
    this.#places = slots
    this.#stopping = stopping
    this.#takeRate = createPrefetchedRate(service)
  }

  wake(): void {
    this.#isWoken = true
    this.#interrupt?.()
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        this.#isWoken = false
        const resting = this.#resting()
        const due = await dueWorkspaces(this.#service.db, 'campaign', workspacesAtOnce, resting)
        let waiting = 0
        for (const workspaceId of due) waiting += await this.#tryLookAfter(workspaceId)
        this.#takeTurns(waiting)
        this.#divide()
        await this.#nap(this.#walking.size > 0 ? lookEveryMs : await this.#napMs(due.length > 0, resting))
      } catch (error) {
        this.#service.log.error({ err: error, lane: 'campaign' }, 'The workers could not look for work; they try again')
        await this.#nap(napMaxMs)
      }
    }
    for (const { sender } of this.#walking.values()) sender.stop()
    await Promise.all([...this.#walking.values()].map(({ sender }) => sender.ended))
  }

  /**
   * Maintains a workspace's campaigns; after a failure only that workspace is skipped for a while. Returns how many campaigns
   * wait for a batch sender.
   */
  async #tryLookAfter(workspaceId: number): Promise<number> {
    try {
      return await this.#lookAfter(workspaceId)
    } catch (error) {
      this.#service.log.error(
        { err: error, lane: 'campaign', workspaceId },
        'A turn of a workspace failed; it rests for a moment',
      )
      this.#restsUntilMs.set(workspaceId, this.#nowMs() + restMs)
      return 0
    }
  }

  async #lookAfter(workspaceId: number): Promise<number> {
    const { db, settings } = this.#service
    let waiting = 0
    for (const campaign of await campaignsAtWork(db, workspaceId)) {
      if (campaign.status === 'scheduled') {
        if (campaign.isDue) await startScheduled(this.#service, { workspaceId, id: campaign.id })
        continue
      }
      const key = `${workspaceId}/${campaign.id}`
      await this.#care(key, workspaceId, campaign)
      if (this.#walking.has(key) || !campaign.isWalkable || this.#stopping.aborted) continue
      if (this.#goingOn().length < sendersMax) await this.#open(key, workspaceId, campaign.id)
      else waiting++
    }
    const isSending = [...this.#walking.values()].some((active) => active.workspaceId === workspaceId)
    if (!isSending && waiting === 0) await raiseCampaignDue(db, workspaceId, settings.leaseSeconds / 3)
    return waiting
  }

  async #care(key: string, workspaceId: number, campaign: CampaignAtWork): Promise<void> {
    const nowMs = this.#nowMs()
    const cared = this.#caredAtMs.get(key) ?? { allMs: -Infinity, lostMs: -Infinity }
    if (this.#walking.has(key) && nowMs - cared.allMs < careEveryMs) return
    const lost = nowMs - cared.lostMs >= (this.#service.settings.leaseSeconds * 1000) / 3
    this.#caredAtMs.set(key, { allMs: nowMs, lostMs: lost ? nowMs : cared.lostMs })
    await maintainCampaign(this.#service, { key: { workspaceId, campaignId: campaign.id }, ...campaign, lost })
    if (campaign.pending === 0) this.#caredAtMs.delete(key)
  }

  async #open(key: string, workspaceId: number, campaignId: string): Promise<void> {
    let here = this.#places.of(workspaceId)
    const sender = await openBatchSender(this.#service, {
      campaign: { workspaceId, campaignId },
      slots: {
        take: (wanted) => {
          here = this.#places.of(workspaceId)
          return this.#take(here, workspaceId, wanted)
        },
        release: (count) => here.release(count),
      },
    })
    if (!sender) return
    this.#walking.set(key, { workspaceId, campaignId, sender, sinceMs: this.#nowMs(), isStopping: false })
    void sender.ended.then(() => {
      this.#walking.delete(key)
      this.wake()
    })
  }

  /** Takes slots of the provider, then permits of its rate, and releases the slots that got no permit. */
  async #take(here: ProviderSlots, workspaceId: number, wanted: number): Promise<number> {
    const reserved = here.reserveBeside(this.#besideSingles(wanted), this.#underWay(here))
    if (reserved === 0) return 0
    const granted = await this.#takeRate(workspaceId, reserved).catch((error: unknown) => {
      here.release(reserved)
      throw error
    })
    here.release(reserved - granted)
    return granted
  }

  #besideSingles(wanted: number): number {
    if (!this.#service.sending.isBusyWithSingles()) return wanted
    const nowMs = this.#nowMs()
    if (nowMs < this.#restsFromSinglesMs) return 0
    this.#restsFromSinglesMs = nowMs + besideSingles.restMs
    return Math.max(1, Math.floor(wanted * besideSingles.share))
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
      void sender.ended.then(() => goBehind(this.#service.countingDb, workspaceId, 'campaign')).catch(() => undefined)
    }
  }

  #goingOn(): ActiveSender[] {
    return [...this.#walking.values()].filter(({ isStopping }) => !isStopping)
  }

  /** Divides a provider's slots for campaigns equally among those that leave by it. */
  #divide(): void {
    for (const [here, active] of Map.groupBy(this.#goingOn(), ({ workspaceId }) => this.#places.of(workspaceId))) {
      const all = besideOthers(here.free() + this.#underWay(here))
      for (const { sender } of active) sender.setShare(Math.max(1, Math.floor(all / active.length)))
    }
  }

  /** Hand-offs in flight of all campaigns, with the provider of these slots. */
  #underWay(here: ProviderSlots): number {
    let sum = 0
    for (const { sender, workspaceId } of this.#walking.values())
      if (this.#places.of(workspaceId) === here) sum += sender.underWay
    return sum
  }

  #resting(): number[] {
    for (const [workspaceId, untilMs] of this.#restsUntilMs) if (untilMs <= this.#nowMs()) this.#restsUntilMs.delete(workspaceId)
    return [...this.#restsUntilMs.keys()]
  }

  /** A due campaign without a batch sender was maintained just now, and may have more work. */
  async #napMs(wasDue: boolean, resting: number[]): Promise<number> {
    if (wasDue) return lookEveryMs
    return Math.min(napMaxMs, Math.max(1, (await msUntilDue(this.#service.db, 'campaign', resting)) ?? napMaxMs))
  }

  async #nap(ms: number): Promise<void> {
    if (this.#isWoken) return
    const waking = new AbortController()
    this.#interrupt = () => waking.abort()
    await this.#service.clock.sleep(ms, AbortSignal.any([waking.signal, this.#stopping])).catch(() => undefined)
    this.#interrupt = null
  }

  #nowMs(): number {
    return this.#service.clock.monotonicMs()
  }
}
