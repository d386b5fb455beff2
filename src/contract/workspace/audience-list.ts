/**
 * Defines the list of the audience that members look through: its totals, and the contacts that a
 * status, a text and a definition select together.
 */
import { ofMembers, operationsOf } from '../operations-of.ts'
import {
  PageQuery,
  Text,
  Type,
  count,
  instantOrNull,
  listOf,
  oneOf,
  type Static,
} from '../schema.ts'
import { limits } from '../limits.ts'
import { Subscriber, subscriberStatuses } from '../subscribers.ts'
import { segmentFilter } from './audience.ts'
import { audienceLimits } from './audience-limits.ts'
import { segmentLimits } from './segment-limits.ts'

/** A list is sorted by a column with an index; `-`: the other way. */
export const audienceSorts = ['-created', 'created', 'email', '-email'] as const
export type AudienceSort = (typeof audienceSorts)[number]

const filter = {
  status: Type.Optional(oneOf(subscriberStatuses)),
  q: Text.optional({
    maxLength: limits.searchMax,
    description: 'Part of the address or of a name.',
  }),
  segment: Type.Optional(segmentFilter),
  definition: Text.optional({
    maxLength: audienceLimits.definitionTextMax,
    description: 'A definition as segments have it, as JSON text.',
    examples: ['{"all":[{"tag":"vip"}]}'],
  }),
}

const ContactFilter = Type.Object(filter)
export type ContactFilter = Static<typeof ContactFilter>

const AudienceContact = Type.Object({
  ...Subscriber.properties,
  last_opened_at: instantOrNull('When the contact last opened a campaign, also through a relay.'),
})

const ContactCount = Type.Object({
  object: Type.Literal('contact_count'),
  count: count('Contacts that match.'),
  more: Type.Boolean({ description: 'There are more than `count`.', examples: [false] }),
})

const statusCounts = Object.fromEntries(
  subscriberStatuses.map((status) => [status, count(`Contacts whose status is \`${status}\`.`)]),
) as Record<(typeof subscriberStatuses)[number], ReturnType<typeof count>>

const AudienceTotals = Type.Object({
  object: Type.Literal('audience_totals'),
  statuses: Type.Object(statusCounts),
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', examples: ['2026-11-29'] }),
      subscribed: Type.Integer({
        description: 'Contacts who were subscribed at the end of the day.',
        examples: [1998],
      }),
    }),
    {
      description: `The last ${audienceLimits.growthDays} days in the workspace’s time zone, and the one before them; the last is today.`,
    },
  ),
})

const audience = operationsOf({ ...ofMembers, tag: 'Subscribers' })

export const audienceListOperations = {
  getAudienceTotals: audience.get('/api/v1/audience/totals', AudienceTotals, {
    summary: 'Read how many contacts there are',
    description: 'By status, and how many were subscribed on each of the last days.',
  }),
  listFilteredContacts: audience.get('/api/v1/audience/contacts', listOf(AudienceContact), {
    summary: 'List contacts by a definition',
    description: `Those that all of status, text, segment and definition select. A page that no index serves ends after ${segmentLimits.countSecondsMax} seconds.`,
    query: Type.Object({
      ...PageQuery.properties,
      ...filter,
      sort: Type.Optional(oneOf(audienceSorts, { description: 'Absent: newest first.' })),
    }),
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
  countFilteredContacts: audience.get('/api/v1/audience/count', ContactCount, {
    summary: 'Count contacts by a definition',
    description: `Those of a text up to ${audienceLimits.countedMax.toLocaleString('en-US')}; ends after ${segmentLimits.countSecondsMax} seconds.`,
    query: Type.Object({
      ...filter,
      recent: Type.Optional(
        oneOf(['true'], {
          description: `A count of the last ${segmentLimits.recentSeconds / 60} minutes will do. Only of a \`segment\`, without \`definition\` and \`q\`.`,
        }),
      ),
    }),
    errors: ['conflict', 'rate_limit_exceeded'],
  }),
}
