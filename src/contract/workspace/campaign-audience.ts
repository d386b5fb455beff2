/**
 * Defines whom a campaign goes to: everybody subscribed, a segment or tags, without those that are
 * excluded. Members choose it; no key does (spec: the API offers no segment targeting).
 */
import { CampaignParams } from '../campaigns.ts'
import { limits } from '../limits.ts'
import { ofMembers, operationsOf } from '../operations-of.ts'
import { Text, Type, nullable, oneOf, optionalOrNull, type Static } from '../schema.ts'
import { segmentLimits } from './segment-limits.ts'

/** How many tags it may name, and how many exclusions it may have. */
export const audiencePartsMax = 20

const segment = Type.Object({
  segment: Type.String({ format: 'uuid', description: 'The identifier of a segment.' }),
})
const tagName = Type.String({ minLength: 1, maxLength: limits.subscriberTagMax, examples: ['vip'] })
const tags = Type.Object({
  tags: Type.Array(tagName, {
    minItems: 1,
    maxItems: audiencePartsMax,
    description: 'Contacts with at least one of these tags.',
  }),
})
const received = Type.Object({
  received: Type.Object({
    within_days: Type.Integer({
      minimum: 1,
      maximum: segmentLimits.daysMax,
      description:
        'Contacts who got a campaign within so many days before the list is frozen, or wait for the mail of one that is being sent.',
    }),
  }),
})

const AudienceTarget = Type.Union([segment, tags])
const AudienceExclusion = Type.Union([segment, Type.Object({ tag: tagName }), received])

/** As it is stored; null means everybody who is subscribed. */
export interface Audience {
  to: Static<typeof AudienceTarget> | null
  except: Static<typeof AudienceExclusion>[]
}
export type AudiencePart = Static<typeof AudienceTarget> | Static<typeof AudienceExclusion>

const AudienceRequest = Type.Object(
  {
    to: optionalOrNull(AudienceTarget),
    except: optionalOrNull(Type.Array(AudienceExclusion, { maxItems: audiencePartsMax })),
  },
  {
    description: 'Each call replaces the whole audience; without `to`, it is everybody subscribed.',
    examples: [{ to: { tags: ['vip'] }, except: [{ received: { within_days: 7 } }] }],
  },
)

/** By which exclusion a contact of `to` is left out. */
const partReasons = ['excluded_segment', 'excluded_tag', 'excluded_received'] as const
export type PartReason = (typeof partReasons)[number]

/** Why a contact of `to` is left out by a choice of the campaign: by its topic after all others. */
export const exclusionReasons = [...partReasons, 'excluded_topic'] as const

/** A part with the name by which people know it: of the segment, the tag, or the number of days. */
const named = { name: Type.String({ examples: ['Customers'] }) }
const CampaignAudience = Type.Object({
  object: Type.Literal('campaign_audience'),
  id: Type.String(),
  to: nullable(
    Type.Object({
      kind: oneOf(['segment', 'tags']),
      segment: Text.orNull(),
      tags: Type.Array(Type.String()),
      ...named,
    }),
  ),
  except: Type.Array(
    Type.Object({
      reason: oneOf(partReasons),
      segment: Text.orNull(),
      tag: Text.orNull(),
      within_days: nullable(Type.Integer()),
      ...named,
      left_out: nullable(
        Type.Integer({
          minimum: 0,
          description:
            'How many contacts it left out when the list was frozen: subscribed, not suppressed, and by no exclusion before it. Null before that, and where an earlier version froze the list.',
        }),
      ),
    }),
  ),
})
export type CampaignAudience = Static<typeof CampaignAudience>

const campaign = operationsOf({ ...ofMembers, tag: 'Campaigns', params: CampaignParams })

export const campaignAudienceOperations = {
  getCampaignAudience: campaign.get('/api/v1/campaigns/{id}/audience', CampaignAudience, {
    summary: 'Read whom a campaign goes to',
    description: 'Of a campaign whose list is frozen: as it was then.',
  }),
  setCampaignAudience: campaign.post('/api/v1/campaigns/{id}/audience', CampaignAudience, {
    summary: 'Choose whom a campaign goes to',
    description:
      'Of a draft. Status and suppression always win: nobody who left is reached by a segment. 409 where it is no draft.',
    body: AudienceRequest,
    errors: ['conflict'],
  }),
}
