/** What hand-offs of one campaign came to, gathered until a statement takes them; nothing of it is lost while the database is away. */
import type { CampaignKey, SentSubscriber } from '../../db/campaigns/campaign-claims.ts'
import { recordCampaignOutcomes } from '../../db/campaigns/campaign-outcomes.ts'
import type { CampaignOutcome, ChangedRecipient } from '../../db/campaigns/campaign-outcomes.ts'
import { passesLater } from '../../db/connection/connect.ts'
import type { Context } from '../context.ts'
import { applyStatusChanges } from '../sending/apply-status-changes.ts'
import type { SuppressedAddress } from '../sending/apply-status-changes.ts'
import { followRefusals, hasConsequences, statusChangesOf } from '../sending/record-outcome.ts'
import { toCampaignOutcome } from './campaign-hand-off.ts'
import type { CampaignEnd, CampaignHandOff } from './campaign-hand-off.ts'
import { statusEvents, publishStatusChanges } from '../events/status-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'

/** How long a campaign's recipient is tried in all: longer than a single message, since nobody waits for it. */
const queueLifeSeconds = 4 * 86_400
/** Outcomes of one statement at most. */
const atOnce = 256

const unfollowed = ['email.sent', 'email.failed'] as const

interface Ended {
  handOff: CampaignHandOff
  outcome: CampaignOutcome
}

export class CampaignRecords {
  readonly #ctx: Context
  readonly #campaign: CampaignKey
  /** Simply sent: recorded along with a claim. */
  #sent: Ended[] = []
  /** All others. */
  #others: Ended[] = []
  /** When the first that waits was answered, on the monotonic clock. */
  sinceMs = 0

  constructor(ctx: Context, campaign: CampaignKey) {
    this.#ctx = ctx
    this.#campaign = campaign
  }

  get waiting(): number {
    return this.#sent.length + this.#others.length
  }

  add(handOff: CampaignHandOff, end: CampaignEnd): void {
    if (this.waiting === 0) this.sinceMs = this.#ctx.clock.monotonicMs()
    const outcome = toCampaignOutcome(this.#ctx, handOff, end)
    const list = outcome.event === 'sent' && outcome.copy === null ? this.#sent : this.#others
    list.push({ handOff, outcome })
  }

  /** Those simply sent, for a statement that claims as well; `putBack` when it failed. Sorted, as every writer locks them. */
  takeSent(): { sent: SentSubscriber[]; handOffs: CampaignHandOff[]; putBack(): void } {
    const taken = this.#sent.splice(0, atOnce)
    const sent = taken.map(({ handOff, outcome }) => ({ ...handOff.held, response: outcome.response ?? '' }))
    return {
      sent: sent.toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1)),
      handOffs: taken.map(({ handOff }) => handOff),
      putBack: () => void this.#sent.unshift(...taken),
    }
  }

  /** Sent ones whose statement is refused for what one of them says are recorded like all others, each for itself if need be. */
  giveSentToOthers(): void {
    this.#others.push(...this.#sent.splice(0))
  }

  /** Records the others; answers those that are settled with us: recorded, or given up since their lease is nearly over. */
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
      // One row that the database refuses must not cost the others theirs.
      for (const one of taken.length > 1 ? taken : []) {
        await this.#record([one]).catch((cause: unknown) => this.#tellUnrecorded(cause, one.handOff))
      }
      if (taken.length === 1) this.#tellUnrecorded(error, taken[0]?.handOff)
      return taken.map(({ handOff }) => handOff)
    }
  }

  /** Forgets what was answered so long ago that its lease is over: it is in doubt by now. */
  forgetLate(): CampaignHandOff[] {
    // Where nobody watches the lease, the fence alone still keeps a holder that was given up from writing.
    if (this.#ctx.failpoints.broken('campaigns.fence')) return []
    const nowMs = this.#ctx.clock.monotonicMs()
    const isLate = ({ handOff }: Ended): boolean => handOff.endsAtMs <= nowMs
    const late = [...this.#sent, ...this.#others].filter(isLate)
    if (late.length === 0) return []
    this.#sent = this.#sent.filter((ended) => !isLate(ended))
    this.#others = this.#others.filter((ended) => !isLate(ended))
    return late.map(({ handOff }) => handOff)
  }

  async #record(ended: Ended[]): Promise<void> {
    const outcomes = ended.map(({ outcome }) => outcome)
    const { changed, closed } = await this.#write(outcomes)
    for (const { handOff } of ended) handOff.isRecorded = true
    const isCounted = changed.some(({ status }) => status === 'bounced')
    await followRefusals(this.#ctx, this.#campaign.workspaceId, { closed, isCounted })
  }

  /** One statement is its own transaction; what follows a refusal that speaks of the address, and what is told, is written in the same. */
  async #write(outcomes: CampaignOutcome[]): Promise<{ changed: ChangedRecipient[]; closed: SuppressedAddress[] }> {
    const { settings, db } = this.#ctx
    const { workspaceId, campaignId } = this.#campaign
    const rules = {
      retryFirstSeconds: settings.retryFirstSeconds,
      retryMaxSeconds: settings.retryMaxSeconds,
      queueLifeSeconds,
      owedSeconds: 1,
    }
    const moves = (rows: ChangedRecipient[]) =>
      statusChangesOf(rows.map(({ subscriberId, ...row }) => ({ ...row, target: { campaignId, subscriberId } })))
    if (!outcomes.some(hasConsequences)) {
      const simply = await changeAndPublish(this.#ctx, workspaceId, unfollowed, {
        change: (database, unheard) => recordCampaignOutcomes(database, this.#campaign, outcomes, { ...rules, unheard }),
        events: (tx, rows) => statusEvents(tx, workspaceId, moves(rows).moved),
      })
      return { changed: simply, closed: [] }
    }
    const { owed, ...written } = await db.transaction(async (tx) => {
      const changed = await recordCampaignOutcomes(tx, this.#campaign, outcomes, rules)
      const told = moves(changed)
      const closed = await applyStatusChanges(tx, workspaceId, told)
      return { changed, closed, owed: await publishStatusChanges(tx, workspaceId, { moved: told.moved, closed }) }
    })
    if (owed > 0) this.#ctx.wake('webhook')
    return written
  }

  #tellUnrecorded(error: unknown, handOff: CampaignHandOff | undefined): void {
    this.#ctx.log.error(
      { err: error, ...this.#campaign, subscriberId: handOff?.row.subscriberId },
      'An outcome was not recorded: its row becomes in doubt',
    )
  }
}
