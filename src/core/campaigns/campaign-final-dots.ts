/**
 * Records which recipients may pass the final dot before the dot is written, so that a crash leaves
 * only those in doubt (decision 0039).
 */
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import type { Database } from '../../database/client/database.ts'
import {
  allowDots,
  deleteBatchSender,
  insertBatchSender,
} from '../../db/campaigns/batch-senders.ts'
import { gather, type Gather } from '../../ground/gather.ts'
import type { Context } from '../context.ts'

/** A hand-off that asks for its final dot, and the batch sender that it was claimed under. */
export interface WaitingHandOff {
  row: { subscriberId: string }
  batchSenderId: string
}

/**
 * The maximum of final dots in one statement, and how long they wait for others, in milliseconds.
 */
const atOnce = 256
const patienceMs = 2

type Parts = Pick<Context, 'countingDb' | 'makeId' | 'log'>

export class FinalDots {
  /** Answers whether the dot may be written. Waiting hand-offs share a statement. Never rejects. */
  readonly pass: Gather<WaitingHandOff, boolean>
  readonly #parts: Parts
  /** One connection, so that the statements of a batch sender keep their order. */
  readonly #db: Database
  readonly #campaign: CampaignKey
  readonly #passed = new Set<WaitingHandOff>()
  #batchSenderId: string | null = null
  #version = 0

  constructor(parts: Parts, campaign: CampaignKey) {
    this.#parts = parts
    this.#db = parts.countingDb.pipeline()
    this.#campaign = campaign
    this.pass = gather({
      groupMax: atOnce,
      patienceMs,
      work: (waiting) => this.#passTogether(waiting),
    })
  }

  /** The identifier that recipients are claimed under. */
  async batchSenderId(): Promise<string> {
    if (this.#batchSenderId !== null) return this.#batchSenderId
    const id = this.#parts.makeId()
    await insertBatchSender(this.#parts.countingDb, this.#campaign, id)
    return (this.#batchSenderId = id)
  }

  /** Call it when the outcome is recorded. */
  complete(handOff: WaitingHandOff): void {
    this.#passed.delete(handOff)
  }

  /**
   * Ends the batch sender: nothing more is claimed under it. Its recipients without an outcome are
   * in doubt.
   */
  async end(): Promise<void> {
    if (this.#batchSenderId === null) return
    await deleteBatchSender(this.#parts.countingDb, this.#campaign, this.#batchSenderId).catch(
      (error: unknown) =>
        this.#parts.log.warn(
          { err: error, ...this.#campaign },
          'A batch sender was not deleted; the clean-up does it',
        ),
    )
  }

  async #passTogether(waiting: WaitingHandOff[]): Promise<boolean[]> {
    const id = this.#batchSenderId
    const isOurs = waiting.map(({ batchSenderId }) => batchSenderId === id)
    if (id === null || !isOurs.includes(true)) return isOurs.map(() => false)
    const ours = waiting.filter((_, index) => isOurs[index])
    try {
      const atDot = [...this.#passed, ...ours].map(({ row }) => row.subscriberId)
      const isAllowed = await allowDots(this.#db, this.#campaign, {
        id,
        version: ++this.#version,
        atDot,
      })
      if (!isAllowed) return this.#leave(waiting)
    } catch (error) {
      this.#parts.log.warn(
        { err: error, ...this.#campaign },
        'Final dots were not recorded; their mails wait',
      )
      return waiting.map(() => false)
    }
    for (const handOff of ours) this.#passed.add(handOff)
    return isOurs
  }

  /**
   * The database has ended this batch sender. Its last record stays valid for hand-offs under way,
   * and the next claim opens another one.
   */
  #leave(waiting: WaitingHandOff[]): boolean[] {
    this.#batchSenderId = null
    this.#version = 0
    this.#passed.clear()
    return waiting.map(() => false)
  }
}
