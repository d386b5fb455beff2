/** Counts whom a targeted campaign would reach now, and whom it leaves out by which reason. */
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countAudienceOf } from '../../../db/campaigns/audience-conditions.ts'
import type { FrozenAudience, TopicOfCampaign } from '../../../db/campaigns/campaign-audience.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import { readInTurn } from '../../audience/segments/in-turn.ts'
import type { CallContext } from '../../context.ts'
import { audienceNow } from './audience-now.ts'
import { exclusionName, exclusionReason } from './present-audience.ts'

const { countSecondsMax } = segmentLimits

/** The command line counts on its own connection. */
export type Counting = Pick<CallContext, 'db'> & Partial<Pick<CallContext, 'segmentDb' | 'left'>>

/**
 * Null where it goes to everybody subscribed. In the workspace's turn and within its seconds, as
 * segments are counted: throws `conflict` and `rate_limit_exceeded`.
 */
export function countTargeted(
  ctx: Counting,
  { seconds = countSecondsMax, ...key }: CampaignKey & { seconds?: number },
) {
  const { db, segmentDb = db, left } = ctx
  const caller = { segmentDb, workspaceId: key.workspaceId, ...(left && { left }) }
  return readInTurn(caller, {
    seconds,
    read: async (tx) => {
      const compiled = await audienceNow(tx, key)
      if (compiled === null) return null
      const { frozen, conditions } = compiled
      const { reachable, leftOut } = await countAudienceOf(tx, conditions, seconds * 1_000)
      return {
        reachable,
        notReached: leftOut.map(({ why, count }) => ({
          ...named(why, frozen, conditions.topic),
          ...{ count, more: false },
        })),
      }
    },
  })
}

function named(
  why: string,
  { except, segments }: FrozenAudience,
  topic: TopicOfCampaign | null,
): { reason: string; name: string | null } {
  if (why === 'topic' && topic) return { reason: 'excluded_topic', name: topic.name }
  const [, position] = /^except\.(\d+)$/.exec(why) ?? []
  const part = except[Number(position)]
  return part
    ? { reason: exclusionReason(part), name: exclusionName(part, segments) }
    : { reason: reasonNamed(why), name: null }
}

export const reasonNamed = (why: string): string =>
  why === 'platform' ? 'suppressed by the platform' : why
