/**
 * Unsubscribes by the link of a mail, by the one-click button of mail programs (RFC 8058) or by
 * mail (RFC 2369).
 */
import { markUnsubscribed } from '../../db/campaigns/campaign-tallies.ts'
import type { ConsentSource } from '../../db/audience/consents.ts'
import type { LinkSubject } from '../../ground/link-tokens.ts'
import type { Context } from '../context.ts'
import { unsubscribeSubscriber, type UnsubscribedNow } from './unsubscribe-subscriber.ts'

/** Replaces the campaign's identifier for mail outside campaigns. */
const noCampaign = '00000000-0000-0000-0000-000000000000'

/** The campaign whose mail had the link. Null if there is none. */
export const campaignOf = ({ first }: LinkSubject): string | null =>
  first === noCampaign ? null : first

/**
 * `subject` comes from a token with purpose `unsubscribe`: the campaign and the subscriber. Returns
 * null when there is no such subscriber.
 */
export function unsubscribeByLink(
  ctx: Pick<Context, 'db' | 'makeId' | 'wake' | 'failpoints'>,
  {
    requester,
    ...subject
  }: {
    requester: {
      source: ConsentSource & ('link' | 'one-click' | 'mailto')
      ip: string | null
      userAgent: string | null
    }
  } & LinkSubject,
): Promise<UnsubscribedNow | null> {
  const { workspaceId, second: subscriberId } = subject
  const campaignId = campaignOf(subject)
  return unsubscribeSubscriber(ctx, {
    workspaceId,
    leaver: { subscriberId },
    leaving: { ...requester, apiKeyId: null, campaignId },
    async beside(tx, changed) {
      // A subscriber who had already unsubscribed does not count for this campaign.
      if (changed && campaignId !== null)
        await markUnsubscribed(tx, workspaceId, { campaignId, subscriberId })
    },
  })
}
