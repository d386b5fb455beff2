/**
 * Records opens and clicks: concurrent requests share a statement and a commit, and each is
 * answered after its own commit.
 */
import { isRetryable } from '../../database/client/database-errors.ts'
import { retrying } from '../../database/client/retrying.ts'
import {
  recordCampaignEngagement,
  type CampaignEngagement,
  type StoredEngagement,
} from '../../db/tracking/campaign-engagement.ts'
import {
  recordMessageEngagement,
  type MessageEngagement,
} from '../../db/tracking/message-engagement.ts'
import { burstRules, disownBurst } from '../../db/tracking/click-bursts.ts'
import { campaignEngagementEvents, messageEngagementEvents } from '../events/engagement-events.ts'
import { changeAndPublish } from '../events/change-and-publish.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'
import {
  classifyRequest,
  userAgentMax,
  type TrackedRequest,
} from '../../mail/html/classify-request.ts'
import type { Context } from '../context.ts'
import type { TrackSubject } from '../sending/track-subject.ts'

/** A request for a pixel or link with one of our tokens. */
export interface EngagementRequest extends TrackedRequest {
  subject: TrackSubject
  /** The link, counted from 0; null for the pixel. */
  link: number | null
  /** The address that it came from. */
  address: string
}

/**
 * Returns the target of a campaign's link, with its merge tags filled in; null for all other
 * requests.
 */
export type RecordEngagement = (engagement: EngagementRequest) => Promise<string | null>

type EngagementContext = Pick<Context, 'db' | 'makeId' | 'wake'>

export function createRecordEngagement(ctx: EngagementContext): RecordEngagement {
  const limits = { groupMax: 512, atOnceMax: 2, concurrentMin: 64 }
  const ofCampaigns = gatherByWorkspace({
    ...limits,
    work: apart((id, engagements: CampaignEngagement[]) =>
      storeCampaignEngagements(ctx, id, engagements),
    ),
  })
  const ofMessages = gatherByWorkspace({
    ...limits,
    work: apart((id, engagements: MessageEngagement[]) =>
      storeMessageEngagements(ctx, id, engagements),
    ),
  })
  return async (engagement) => {
    const { subject } = engagement
    const described = describe(ctx, engagement)
    const stored = await (subject.of === 'campaign'
      ? ofCampaigns(subject.workspaceId, {
          ...described,
          campaignId: subject.campaignId,
          subscriberId: subject.subscriberId,
        })
      : ofMessages(subject.workspaceId, {
          ...described,
          messageId: subject.messageId,
          position: subject.position,
        }))
    if ('error' in stored) throw stored.error
    return stored.url
  }
}

function describe(
  ctx: EngagementContext,
  { kind, method, headers, link, address }: EngagementRequest,
): Omit<CampaignEngagement, 'campaignId' | 'subscriberId'> {
  const userAgent = (headers['user-agent'] ?? '').toString().slice(0, userAgentMax).toWellFormed()
  return {
    id: ctx.makeId(),
    kind,
    link,
    address,
    userAgent,
    ...classifyRequest({ kind, method, headers }),
  }
}

async function storeCampaignEngagements(
  ctx: EngagementContext,
  workspaceId: number,
  engagements: CampaignEngagement[],
): Promise<StoredEngagement[]> {
  const stored = await retrying(() =>
    changeAndPublish(ctx, {
      workspaceId,
      of: 'engagement',
      change: (db, unsubscribedTypes) =>
        recordCampaignEngagement(db, workspaceId, engagements, unsubscribedTypes),
      events: (tx, described) => campaignEngagementEvents(tx, workspaceId, engagements, described),
    }),
  )
  for (const engagement of tooSoon(engagements, stored)) {
    await retrying(() => disownBurst(ctx.db, workspaceId, engagement, burstRules), isRetryable)
  }
  return stored
}

/** Selects each recipient once whose link was followed within the first seconds. */
function tooSoon(
  engagements: CampaignEngagement[],
  stored: StoredEngagement[],
): CampaignEngagement[] {
  const byKey = new Map<string, CampaignEngagement>()
  for (const [index, engagement] of engagements.entries()) {
    const age = stored[index]?.age ?? null
    if (engagement.kind === 'click' && age !== null && age <= burstRules.seconds)
      byKey.set(engagement.campaignId + engagement.subscriberId, engagement)
  }
  return [...byKey.values()]
}

async function storeMessageEngagements(
  ctx: EngagementContext,
  workspaceId: number,
  engagements: MessageEngagement[],
): Promise<{ url: null }[]> {
  await retrying(() =>
    changeAndPublish(ctx, {
      workspaceId,
      of: 'engagement',
      change: (db, unsubscribedTypes) =>
        recordMessageEngagement(db, workspaceId, engagements, unsubscribedTypes),
      events: (tx, described) => messageEngagementEvents(tx, workspaceId, engagements, described),
    }),
  )
  return engagements.map(() => ({ url: null }))
}

/**
 * If a group fails, each request is retried alone, so that one visitor's input never fails
 * another's.
 */
function apart<Item, Result>(work: (workspaceId: number, items: Item[]) => Promise<Result[]>) {
  return (workspaceId: number) =>
    async (items: Item[]): Promise<(Result | { error: unknown })[]> => {
      try {
        return await work(workspaceId, items)
      } catch (error) {
        if (items.length === 1) return [{ error }]
        const alone = items.map((item) =>
          work(workspaceId, [item]).catch((cause: unknown) => [{ error: cause }]),
        )
        return (await Promise.all(alone)).flat()
      }
    }
}
