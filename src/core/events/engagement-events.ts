/**
 * Makes the events of opens and clicks that statistics count, and of the delivery that the first
 * one proves (semantics 5).
 */
import type { EventTypeBy } from '../../contract/events.ts'
import type { CampaignEngagement, StoredEngagement } from '../../db/tracking/campaign-engagement.ts'
import type { Database } from '../../database/client/database.ts'
import { messageHtmls, subscribersById } from '../../db/events/event-facts.ts'
import type { MessageEngagement, SeenEngagement } from '../../db/tracking/message-engagement.ts'
import { resolveLink } from '../../mail/merge/content-address.ts'
import { linksOf } from '../../mail/html/track-html.ts'
import { rfc3339 } from '../input/read-time.ts'
import type { FeedbackTarget } from '../feedback-target.ts'
import { emailEvents, type EmailHappening } from './email-events.ts'
import type { NewEvent } from './publish-events.ts'

type EngagementEventType = EventTypeBy<'engagement'>

/** `stored` is in the order of the engagements. */
export async function campaignEngagementEvents(
  tx: Database,
  workspaceId: number,
  engagements: CampaignEngagement[],
  stored: StoredEngagement[],
): Promise<NewEvent<EngagementEventType>[]> {
  const engaged = engagements.flatMap((engagement, index) => {
    const storedEngagement = stored[index]
    return storedEngagement
      ? [
          {
            engagement,
            kept: storedEngagement,
            target: { campaignId: engagement.campaignId, subscriberId: engagement.subscriberId },
          },
        ]
      : []
  })
  const personal = engaged.filter(
    (item) => item.kept.isCountedClick && item.kept.url?.includes('{{'),
  )
  const readers = await readersOf(tx, workspaceId, personal)
  return emailEvents(
    tx,
    workspaceId,
    engaged.flatMap(({ engagement, kept: storedEngagement, target }) => {
      const link = storedEngagement.url?.includes('{{')
        ? resolveLink(storedEngagement.url, readers.get(engagement.subscriberId) ?? null)
        : storedEngagement.url
      return happeningsOf(engagement, storedEngagement, { target, link: link ?? '' })
    }),
  )
}

/** `engaged` is in the order of the engagements. Null if one was not stored. */
export async function messageEngagementEvents(
  tx: Database,
  workspaceId: number,
  engagements: MessageEngagement[],
  engaged: (SeenEngagement | null)[],
): Promise<NewEvent<EngagementEventType>[]> {
  const counted = engagements.flatMap((engagement, index) => {
    const seenEngagement = engaged[index]
    return seenEngagement ? [{ engagement, seen: seenEngagement }] : []
  })
  const clicked = counted
    .filter((item) => item.seen.isCountedClick)
    .map(({ engagement }) => engagement.messageId)
  const links = await linksOfMessages(tx, workspaceId, [...new Set(clicked)])
  return emailEvents(
    tx,
    workspaceId,
    counted.flatMap(({ engagement, seen: seenEngagement }) =>
      happeningsOf(engagement, seenEngagement, {
        target: { messageId: engagement.messageId, position: engagement.position },
        link: links.get(engagement.messageId)?.[engagement.link ?? -1] ?? '',
      }),
    ),
  )
}

type Readers = Map<string, Awaited<ReturnType<typeof subscribersById>>[number]>

async function readersOf(
  tx: Database,
  workspaceId: number,
  engaged: { engagement: CampaignEngagement }[],
): Promise<Readers> {
  if (engaged.length === 0) return new Map()
  const ids = [...new Set(engaged.map(({ engagement }) => engagement.subscriberId))]
  return new Map((await subscribersById(tx, workspaceId, ids)).map((row) => [row.id, row]))
}

async function linksOfMessages(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const bodies = await messageHtmls(tx, workspaceId, ids)
  return new Map(bodies.map(({ id, html }) => [id, linksOf(html ?? '')]))
}

/** A click counts as an open too, so there are as many `email.opened` as statistics show. */
function happeningsOf(
  engagement: Pick<CampaignEngagement, 'visitor' | 'client' | 'userAgent'>,
  { isFirstOpen, isCountedClick, arrives, at: seenAt }: SeenEngagement,
  { target, link }: { target: FeedbackTarget; link: string },
): EmailHappening<EngagementEventType>[] {
  const at = rfc3339(seenAt)
  const { userAgent } = engagement
  const proxied = engagement.visitor === 'relay'
  // Apple's relay fetches every image, read or not; the other relays fetch when a reader opens the
  // mail.
  const machine = proxied && engagement.client === 'Apple Mail'
  return [
    ...(arrives ? [{ type: 'email.delivered' as const, target }] : []),
    ...(isFirstOpen
      ? [
          {
            type: 'email.opened' as const,
            target,
            detail: { open: { at, userAgent, machine, proxied } },
          },
        ]
      : []),
    ...(isCountedClick
      ? [
          {
            type: 'email.clicked' as const,
            target,
            detail: { click: { link, timestamp: at, ipAddress: '', userAgent, machine } },
          },
        ]
      : []),
  ]
}
