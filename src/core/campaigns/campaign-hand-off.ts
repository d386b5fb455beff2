/**
 * Describes the hand-off of one campaign recipient: its lease, its attempt, and its way past the
 * final dot.
 */
import { renewCampaignLeases } from '../../db/campaigns/campaign-leases.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import type { ClaimedSubscriber } from '../../db/campaigns/campaign-claims.ts'
import type { BatchSenderOptions, Context } from '../context.ts'
import type { AttemptPoints, RecipientAttempt } from '../sending/attempt.ts'
import type { TrackedLease, LeasedSince, Leases, Renew } from '../sending/leases.ts'

/**
 * A claimed recipient, and the batch sender that it was claimed under
 * (db/campaigns/batch-senders.ts).
 */
export interface CampaignClaim extends LeasedSince {
  row: ClaimedSubscriber
  batchSenderId: string
}

export interface CampaignHandOff extends CampaignClaim {
  lease: TrackedLease
  /** The ledger has its outcome. */
  isRecorded: boolean
}

/** Asks whether the final dot may be written; after it, the mail may have left. Never rejects. */
export type PassDot = (handOff: CampaignHandOff) => Promise<boolean>

export const leaseClaim = (
  leases: Leases<CampaignClaim>,
  claim: CampaignClaim,
): CampaignHandOff => ({
  ...claim,
  lease: leases.track(claim),
  isRecorded: false,
})

const points: AttemptPoints = {
  beforeCompose: 'campaign.before_fill',
  beforeProvider: 'campaign.before_provider',
  atMail: 'campaign.at_mail',
  atDot: 'campaign.at_dot',
  afterDot: 'campaign.after_dot',
}

export function attemptOf(
  { failpoints }: Pick<Context, 'failpoints'>,
  {
    handOff,
    campaign,
    fromDomain,
    fill,
    pass,
  }: { handOff: CampaignHandOff } & Pick<BatchSenderOptions, 'campaign' | 'fromDomain' | 'fill'> & {
      pass: PassDot
    },
): RecipientAttempt {
  const { row, lease, workspaceId } = handOff
  const { subscriberId, attempts: attempt, email: recipient } = row
  return {
    ...{
      workspaceId,
      reference: `${campaign.campaignId}/${subscriberId}`,
      attempt,
      recipient,
      fromDomain,
      bulk: true,
    },
    ...{ lease, points, compose: () => fill(row), logged: { ...campaign, subscriberId } },
    passDot: () => passDot(failpoints, handOff, pass),
  }
}

/** Waits until the database has recorded that this mail may leave. */
async function passDot(
  failpoints: Context['failpoints'],
  handOff: CampaignHandOff,
  pass: PassDot,
): Promise<boolean> {
  // A broken order that the crash sweep must notice: the dot is written first.
  if (failpoints?.broken('campaign.late_note')) setImmediate(() => void pass(handOff))
  else if (!(await pass(handOff))) return false
  await failpoints?.hit('campaign.dot_allowed')
  return true
}

/** Renews the leases of a campaign's recipients, in the order in which every writer locks them. */
export const renewClaims =
  (
    { db, settings }: Pick<Context, 'db' | 'settings'>,
    campaign: CampaignKey,
  ): Renew<CampaignClaim> =>
  async (_, claims) => {
    const leased = claims
      .map(({ row }) => row)
      .toSorted((a, b) => (a.subscriberId < b.subscriberId ? -1 : 1))
    const renewed = await renewCampaignLeases(db, campaign, leased, settings.leaseSeconds)
    const names = new Set(renewed.map(({ subscriberId }) => subscriberId))
    return claims.filter(({ row }) => names.has(row.subscriberId))
  }
