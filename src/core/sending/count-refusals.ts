/**
 * Counts refusals that name their cause, in the transaction that records them: for the page of the
 * sender's domain, and for the campaign, which pauses when its first hundred share one.
 *
 * A temporary refusal counts at a recipient's first attempt, since its retries repeat it. One that
 * only asks for a slower pace is none of a campaign's first hundred: the pace follows it. Neither
 * is a final one about the recipient's own address or mailbox.
 */
import type { BounceClass } from '../../contract/emails.ts'
import { countCampaignRefusals, unnamedCause } from '../../db/campaigns/campaign-refusals.ts'
import type { Database } from '../../database/client/database.ts'
import { countMessageRefusals, countNamedOfCampaign } from '../../db/sending/refusal-counts.ts'
import {
  findRefusalCause,
  refusedAddressIn,
} from '../../mail/reports/refusals/find-refusal-cause.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

/** The reply of a server or a report on one recipient. */
export interface Refusal {
  target: FeedbackTarget
  /** A temporary refusal is tried again. */
  isTemporary: boolean
  attempts: number
  bounce: BounceClass | null
  text: string
}

/** Whether it counts anywhere. */
export const isCountedRefusal = (refusal: Omit<Refusal, 'target'>): boolean =>
  causeOf(refusal) !== null

interface Counted {
  /** Null if it names none. */
  cause: string | null
  address: string | null
  isOfFirst: boolean
}

function causeOf({ isTemporary, attempts, bounce, text }: Omit<Refusal, 'target'>): Counted | null {
  if (isTemporary && attempts > 1) return null
  const refusalCause = findRefusalCause(text)
  if (refusalCause === null)
    return !isTemporary && (bounce === 'policy' || bounce === 'other')
      ? { cause: null, address: null, isOfFirst: true }
      : null
  return {
    cause: refusalCause.id,
    address: refusedAddressIn(text),
    isOfFirst: !(isTemporary && refusalCause.requirement === 'rate'),
  }
}

/**
 * `refusals` in the order in which they were recorded. The caller holds the runs of their
 * campaigns.
 */
export async function countRefusals(
  tx: Database,
  workspaceId: number,
  refusals: Refusal[],
): Promise<void> {
  const counted = refusals.flatMap((refusal) => {
    const cause = causeOf(refusal)
    return cause === null ? [] : [{ ...cause, target: refusal.target }]
  })
  const ofMessages = counted.flatMap(({ target, cause, address }) =>
    'messageId' in target && cause !== null
      ? [{ messageId: target.messageId, cause, address }]
      : [],
  )
  if (ofMessages.length > 0) await countMessageRefusals(tx, workspaceId, ofMessages)
  const ofCampaigns = counted.flatMap(({ target, ...rest }) =>
    'campaignId' in target ? [{ ...rest, ...target }] : [],
  )
  for (const [campaignId, own] of [...Map.groupBy(ofCampaigns, (item) => item.campaignId)].toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  )) {
    const named = own.flatMap(({ cause, address }) => (cause === null ? [] : [{ cause, address }]))
    await countCampaignRefusals(
      tx,
      { workspaceId, campaignId },
      {
        named: named.map(({ cause }) => cause),
        first: own.flatMap(({ cause, isOfFirst }) => (isOfFirst ? [cause ?? unnamedCause] : [])),
      },
    )
    if (named.length > 0) await countNamedOfCampaign(tx, { workspaceId, campaignId }, named)
  }
}
