/** Represents the hand-off of one campaign recipient: its lease for the provider, and its outcome for the ledger. */
import type { ClaimedSubscriber, HeldSubscriber } from '../../db/campaigns/campaign-claims.ts'
import type { CampaignOutcome } from '../../db/campaigns/campaign-outcomes.ts'
import type { Lease, Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'
import { bounceOf } from '../sending/bounce-of.ts'

type Parts = Pick<Context, 'clock' | 'failpoints' | 'settings'>

/** Asks whether the final dot may be written; after it, the mail may have left. Never rejects. */
export type PassDot = (handOff: CampaignHandOff) => Promise<boolean>

export class CampaignHandOff implements Lease {
  readonly row: ClaimedSubscriber
  /** The batch sender that it was claimed under (db/campaigns/batch-senders.ts). */
  readonly batchSenderId: string
  /** When the lease ends, on the monotonic clock. */
  endsAtMs: number
  /** Set when the copy is made. */
  returnPath = ''
  /** The final dot was allowed, so the mail may have left even if an error follows. */
  isAtDot = false
  /** The ledger has its outcome. */
  isRecorded = false
  readonly #parts: Parts
  readonly #passDot: PassDot
  #isAsked = false

  constructor(parts: Parts, row: ClaimedSubscriber, claim: { endsAtMs: number; batchSenderId: string; passDot: PassDot }) {
    this.#parts = parts
    this.row = row
    this.endsAtMs = claim.endsAtMs
    this.batchSenderId = claim.batchSenderId
    this.#passDot = claim.passDot
  }

  get held(): HeldSubscriber {
    return { subscriberId: this.row.subscriberId, fence: this.row.fence }
  }

  /**
   * The provider asks before MAIL and before the final dot (providers/provider.ts), so failpoints between its steps are hit
   * here.
   */
  mayProceed(): boolean {
    if (!this.#isAsked) void this.#parts.failpoints.hit('campaign.at_mail')
    this.#isAsked = true
    return this.#hasTime()
  }

  /** Waits until the database has recorded that this mail may leave, then checks the lease. */
  async mayPassDot(): Promise<boolean> {
    const { failpoints } = this.#parts
    void failpoints.hit('campaign.at_dot')
    // A broken order that the crash sweep must notice: the dot is written first.
    if (failpoints.broken('campaign.late_note')) setImmediate(() => void this.#passDot(this))
    else if (!(await this.#passDot(this))) return false
    await failpoints.hit('campaign.dot_allowed')
    if (!this.#hasTime()) return false
    this.isAtDot = true
    setImmediate(() => void failpoints.hit('campaign.after_dot'))
    return true
  }

  #hasTime(): boolean {
    const { failpoints, clock, settings } = this.#parts
    return failpoints.broken('lease.watch') || clock.monotonicMs() < this.endsAtMs - (settings.leaseSeconds * 1000) / 6
  }
}

export type CampaignEnd = Outcome | { kind: 'threw'; why: string }

export function toCampaignOutcome(
  ctx: Pick<Context, 'makeId'>,
  { row, returnPath }: CampaignHandOff,
  end: CampaignEnd,
): CampaignOutcome {
  const held = { subscriberId: row.subscriberId, fence: row.fence, bounce: bounceOf(end), copy: null }
  switch (end.kind) {
    case 'accepted': {
      const copy = end.copy ? { id: ctx.makeId(), returnPath, ...end.copy } : null
      return { ...held, event: 'sent', error: null, response: end.response, copy }
    }
    case 'refused':
      return { ...held, event: end.reason === 'hard' ? 'bounced' : 'failed', error: end.response, response: end.response }
    case 'deferred':
    case 'in_doubt':
      return { ...held, event: end.kind, error: null, response: end.response }
    case 'postponed':
      return { ...held, event: 'postponed', error: null, response: end.response, waitSeconds: end.afterMs / 1000 }
    case 'returned':
      return { ...held, event: 'returned', error: null, response: null }
    case 'threw':
      return { ...held, event: 'threw', error: end.why, response: null }
    default:
      return end satisfies never
  }
}
