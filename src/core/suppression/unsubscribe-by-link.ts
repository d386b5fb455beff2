/** A person leaves by the link of a mail, or by what their mail program makes of it: a button (RFC 8058), or a mail (RFC 2369). */
import { markUnsubscribed } from '../../db/campaigns/campaign-tallies.ts'
import type { ConsentSource } from '../../db/subscribers/consents.ts'
import type { LinkSubject } from '../../link-tokens.ts'
import type { Context } from '../context.ts'
import { unsubscribeSubscriber } from './unsubscribe-subscriber.ts'
import type { UnsubscribedNow } from './unsubscribe-subscriber.ts'

/** In the place of a campaign's identifier, where the mail was none's. */
const noCampaign = '00000000-0000-0000-0000-000000000000'

/** `subject` is what a token of the purpose `unsubscribe` names: the campaign and the subscriber. Null: there is no such person. */
export function unsubscribeByLink(
  ctx: Pick<Context, 'db' | 'makeId' | 'wake' | 'failpoints'>,
  { workspaceId, first, second: subscriberId }: LinkSubject,
  visit: { source: ConsentSource & ('link' | 'one-click' | 'mailto'); ip: string | null; userAgent: string | null },
): Promise<UnsubscribedNow | null> {
  const campaignId = first === noCampaign ? null : first
  return unsubscribeSubscriber(
    ctx,
    workspaceId,
    { subscriberId },
    {
      leaving: { ...visit, apiKeyId: null, campaignId },
      async beside(tx, moved) {
        // A person who had left before is not counted for this campaign.
        if (moved && campaignId !== null) await markUnsubscribed(tx, workspaceId, { campaignId, subscriberId })
      },
    },
  )
}
