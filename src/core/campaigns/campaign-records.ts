/**
 * Gathers the outcomes of one campaign's hand-offs until a statement records them, and keeps them
 * while the database is unavailable.
 */
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import type { LeasedSubscriber } from '../../db/campaigns/campaign-leases.ts'
import type { SentSubscriber } from '../../db/campaigns/campaign-claims.ts'
import { recordCampaignOutcomes } from '../../db/campaigns/campaign-outcomes.ts'
import { passesLater } from '../../database/client/database-errors.ts'
import type { AttemptOutcome } from '../../db/sending/attempt-outcome.ts'
import type { Context } from '../context.ts'
import { verdictRules } from '../sending/record-outcome.ts'
import { followRefusals, writeOutcomes } from '../sending/write-outcomes.ts'
import type { CampaignHandOff } from './campaign-hand-off.ts'

/**
 * How long a campaign's recipient is tried in all. It is longer than for a single message, because
 * campaign mail is not urgent.
 */
const queueLifeSeconds = 4 * 86_400
/** The maximum of outcomes in one statement. */
const atOnce = 256

interface Ended {
  handOff: CampaignHandOff
  outcome: AttemptOutcome
}

export class CampaignRecords {
  readonly #ctx: Context
  readonly #campaign: CampaignKey
  /** Hand-offs that were accepted and need no copy: recorded together with a claim. */
  #sent: Ended[] = []
  /** All other outcomes. */
  #others: Ended[] = []
  /** When the oldest waiting outcome arrived, on the monotonic clock. */
  sinceMs = 0

  constructor(ctx: Context, campaign: CampaignKey) {
    this.#ctx = ctx
    this.#campaign = campaign
  }

  get waiting(): number {
    return this.#sent.length + this.#others.length
  }

  add(handOff: CampaignHandOff, outcome: AttemptOutcome): void {
    if (this.waiting === 0) this.sinceMs = this.#ctx.clock.monotonicMs()
    const list = outcome.event === 'sent' && outcome.copy === null ? this.#sent : this.#others
    list.push({ handOff, outcome })
  }

  /**
   * Takes accepted hand-offs for a statement that also claims; call `putBack` when it failed.
   * Sorted, because every writer locks in this order.
   */
  takeSent(): { sent: SentSubscriber[]; handOffs: CampaignHandOff[]; putBack(): void } {
    const taken = this.#sent.splice(0, atOnce)
    const sent = taken.map(({ handOff, outcome }) => ({
      ...leasedRow(handOff),
      response: outcome.response ?? '',
    }))
    return {
      sent: sent.toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1)),
      handOffs: taken.map(({ handOff }) => handOff),
      putBack: () => void this.#sent.unshift(...taken),
    }
  }

  /**
   * Moves the accepted hand-offs to the others after their statement was refused, so that each can
   * be recorded alone.
   */
  giveSentToOthers(): void {
    this.#others.push(...this.#sent.splice(0))
  }

  /**
   * Records the other outcomes. Returns the hand-offs that are done: recorded, or refused by the
   * database.
   */
  async recordOthers(): Promise<CampaignHandOff[]> {
    const taken = this.#others.splice(0, atOnce)
    if (taken.length === 0) return []
    try {
      await this.#record(taken)
      return taken.map(({ handOff }) => handOff)
    } catch (error) {
      if (passesLater(error)) {
        this.#others.unshift(...taken)
        throw error
      }
      // If a group fails, each outcome is retried alone, so that one bad row cannot fail the
      // others.
      for (const ended of taken.length > 1 ? taken : []) {
        await this.#record([ended]).catch((cause: unknown) =>
          this.#tellUnrecorded(cause, ended.handOff),
        )
      }
      if (taken.length === 1) this.#tellUnrecorded(error, taken[0]?.handOff)
      return taken.map(({ handOff }) => handOff)
    }
  }

  /** Drops outcomes whose lease has ended: their rows are in doubt by now. */
  dropLate(): CampaignHandOff[] {
    // In this broken variant, only the fence keeps a holder whose lease has ended from writing.
    if (this.#ctx.failpoints?.broken('campaigns.fence')) return []
    const isLate = ({ handOff }: Ended): boolean => handOff.lease.hasEnded()
    const late = [...this.#sent, ...this.#others].filter(isLate)
    if (late.length === 0) return []
    this.#sent = this.#sent.filter((ended) => !isLate(ended))
    this.#others = this.#others.filter((ended) => !isLate(ended))
    return late.map(({ handOff }) => handOff)
  }

  async #record(ended: Ended[]): Promise<void> {
    const { workspaceId, campaignId } = this.#campaign
    const outcomes = ended.map(({ handOff, outcome }) => ({ ...leasedRow(handOff), ...outcome }))
    const rules = { ...verdictRules(this.#ctx), queueLifeSeconds }
    const written = await writeOutcomes(this.#ctx, {
      workspaceId,
      outcomes,
      record: async (db, unsubscribedTypes) =>
        (
          await recordCampaignOutcomes(db, this.#campaign, outcomes, {
            ...rules,
            unsubscribedTypes,
          })
        ).map(({ subscriberId, ...row }) => ({
          ...row,
          target: { campaignId, subscriberId },
        })),
    })
    for (const { handOff } of ended) handOff.isRecorded = true
    await followRefusals(this.#ctx, { workspaceId, ...written })
  }

  #tellUnrecorded(error: unknown, handOff: CampaignHandOff | undefined): void {
    this.#ctx.log.error(
      { err: error, ...this.#campaign, subscriberId: handOff?.row.subscriberId },
      'An outcome was not recorded: its row becomes in doubt',
    )
  }
}

const leasedRow = ({ row: { subscriberId, fence } }: CampaignHandOff): LeasedSubscriber => ({
  subscriberId,
  fence,
})
