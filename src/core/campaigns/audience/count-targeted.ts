/** Counts whom a targeted campaign would reach now, and whom it leaves out by which reason. */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { sqlState } from '../../../database/client/database-errors.ts'
import {
  countAudienceOf,
  type FrozenAudience,
  type TopicOfCampaign,
} from '../../../db/campaigns/campaign-audience.ts'
import type { CampaignKey } from '../../../db/campaigns/campaign-key.ts'
import type { Context } from '../../context.ts'
import { audienceNow } from './audience-now.ts'
import { exclusionName, exclusionReason } from './present-audience.ts'

const timeoutMs = segmentLimits.countSecondsMax * 1000
/** SQLSTATE 57014. */
const queryCanceled = '57014'

/** Null where it goes to everybody subscribed. */
export async function countTargeted({ db }: Pick<Context, 'db'>, key: CampaignKey) {
  return db
    .transaction(async (tx) => {
      const compiled = await audienceNow(tx, key)
      if (compiled === null) return null
      const { frozen, conditions } = compiled
      const { reachable, leftOut } = await countAudienceOf(tx, conditions, timeoutMs)
      return {
        reachable,
        notReached: leftOut.map(({ why, count }) => ({
          ...named(why, frozen, conditions.topic),
          ...{ count, more: false },
        })),
      }
    })
    .catch((error: unknown) => {
      if (sqlState(error) !== queryCanceled) throw error
      throw new ApiError('validation_error', { reason: 'audience_too_slow' })
    })
}

function named(
  why: string,
  { except, segments }: FrozenAudience,
  topic: TopicOfCampaign | null,
): { reason: string; name: string | null } {
  if (why === 'topic' && topic) return { reason: 'excluded_topic', name: topic.name }
  const [, place] = /^except\.(\d+)$/.exec(why) ?? []
  const part = except[Number(place)]
  return part
    ? { reason: exclusionReason(part), name: exclusionName(part, segments) }
    : { reason: reasonNamed(why), name: null }
}

export const reasonNamed = (why: string): string =>
  why === 'platform' ? 'suppressed by the platform' : why
