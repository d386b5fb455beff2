/** One recipient of a campaign under way: the lease that the provider asks for, and the outcome in the ledger's words. */
import type { ClaimedSubscriber, HeldSubscriber } from '../../db/campaign-claims.ts'
import type { CampaignOutcome } from '../../db/campaign-outcomes.ts'
import type { Lease, Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'
import { bounceOf } from '../sending/bounce-of.ts'

type Parts = Pick<Context, 'clock' | 'failpoints' | 'settings'>

export class CampaignHandOff implements Lease {
  readonly row: ClaimedSubscriber
  /** When the lease ends, on the monotonic clock. */
  endsAtMs: number
  /** Known once its copy is made. */
  returnPath = ''
  readonly #parts: Parts
  #asked = 0

  constructor(parts: Parts, row: ClaimedSubscriber, endsAtMs: number) {
    this.#parts = parts
    this.row = row
    this.endsAtMs = endsAtMs
  }

  get held(): HeldSubscriber {
    return { subscriberId: this.row.subscriberId, fence: this.row.fence }
  }

  /** A provider asks right before MAIL and right before the final dot (providers/provider.ts): these are the places between its steps. */
  mayProceed(): boolean {
    const { failpoints, clock, settings } = this.#parts
    this.#asked++
    if (this.#asked === 1) void failpoints.hit('campaign.at_mail')
    if (this.#asked === 2) {
      void failpoints.hit('campaign.at_dot')
      setImmediate(() => void failpoints.hit('campaign.after_dot'))
    }
    return failpoints.broken('lease.watch') || clock.monotonicMs() < this.endsAtMs - (settings.leaseSeconds * 1000) / 6
  }

  /** Whether the final dot was allowed: past it the mail may have left, whatever was thrown. */
  get isAtDot(): boolean {
    return this.#asked >= 2
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
