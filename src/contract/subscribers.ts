/**
 * Defines subscribers, the contacts that campaigns reach (spec: SubscriberRequest, Subscriber;
 * semantics 4: Subscriber).
 */
import { words } from '../ground/words.ts'
import type { Hint } from './hints.ts'
import { limits } from './limits.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  instantOrNull,
  listOf,
  named,
  nullable,
  oneOf,
  textMap,
  type Static,
} from './schema.ts'
import { addressAlone, knownId, oneLine } from './text-rules.ts'
import { ChosenTopic } from './topics.ts'
import { without } from './without.ts'
import { recipientLanguages } from '../ground/texts/languages.ts'

export const subscriberStatuses = [
  'pending',
  'subscribed',
  'unsubscribed',
  'bounced',
  'complained',
] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

const name = (description: string, examples: string[] = []) =>
  Text.optional({ maxLength: limits.subscriberNameMax, ...oneLine, description, examples })

/**
 * Custom fields by key. The verb validates the keys: a pattern property would let other names pass
 * unread.
 */
const Fields = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: limits.fieldValueMax },
  'x-rules': {
    propertyNames: { pattern: '^[a-z][a-z0-9_]{0,59}$' },
    maxProperties: limits.fieldsMax,
  },
  description:
    'Custom fields by key, merged into those that are there; an empty value clears. A key is `a` to `z`, digits and `_`, begins with ' +
    'a letter, has at most 60 characters, and is defined by its first use. A value must fit the type of its field, where it has one.',
  examples: [{ city: 'Lyon' }],
})

/**
 * Keys of other services that would change whether the contact gets mail, and which: refused by
 * name, as those of campaigns are.
 */
const subscriberKeys: [hint: Hint, keys: string][] = [
  [
    'subscriber_status',
    `unsubscribed subscribed status state emailBlacklisted email_blacklisted blacklisted blocklisted suppressed confirmed active opt_in
    optIn opted_in subscribed_at unsubscribed_at`,
  ],
  [
    'subscriber_double_opt_in',
    'doubleOptIn double_optin doubleOptin preconfirm_subscriptions preconfirm send_confirmation skip_confirmation',
  ],
  [
    'subscriber_lists',
    `list lists list_id listId list_ids listIds listUuids list_uuids audience audiences audience_id audienceId segment segments
    segment_id segmentId segment_ids segmentIds topic topics topic_id topicId topic_ids groups group group_id interests frequency`,
  ],
]

export const foreignSubscriberKeys = {
  '': Object.fromEntries(
    subscriberKeys.flatMap(([hint, keys]) => words(keys).map((key) => [key, hint])),
  ),
}

export const SubscriberRequest = Type.Object(
  {
    email: Type.String({
      minLength: limits.addressMin,
      maxLength: limits.addressMax,
      ...addressAlone,
      description: 'One address alone; kept in lower case.',
      examples: ['camille@example.com'],
    }),
    firstName: name('Absent: as it is. Empty: cleared.', ['Camille']),
    lastName: name('Absent: as it is. Empty: cleared.', ['Dupont']),
    prenom: name('Alias of `firstName`; supply only one of the two.'),
    nom: name('Alias of `lastName`; supply only one of the two.'),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: limits.subscriberTagMax, ...oneLine }), {
        maxItems: limits.subscriberTagsMax,
        description: 'Added to those that are there; a tag that does not exist yet is created.',
        examples: [['newsletter']],
      }),
    ),
    fields: Type.Optional(Fields),
    double_opt_in: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          '`false`: registered directly, without a confirmation; the caller answers for the consent.',
      }),
    ),
  },
  {
    $id: 'SubscriberRequest',
    'x-rules': { allOf: [without(foreignSubscriberKeys[''])] },
    description:
      'Unknown keys are ignored, but for those that would change whether the contact gets mail, and which, such as `unsubscribed`, `status` and `list_ids`: they are refused.',
    examples: [
      {
        email: 'camille@example.com',
        firstName: 'Camille',
        lastName: 'Dupont',
        tags: ['newsletter'],
        fields: { city: 'Lyon' },
      },
    ],
  },
)
export type SubscriberRequest = Static<typeof SubscriberRequest>

const subscriberFields = {
  object: Type.Literal('subscriber'),
  id: Type.String({ format: 'uuid' }),
  email: Type.String({ examples: ['camille@example.com'] }),
  status: oneOf(subscriberStatuses),
  firstName: Text.orNull(),
  lastName: Text.orNull(),
  tags: Type.Array(Type.String(), { examples: [['newsletter']] }),
  fields: textMap({ examples: [{ city: 'Lyon' }] }),
  source: Type.String({
    description:
      'How the contact came: `api`, `form`, `import` or `workspace` (a user in the pages).',
    examples: ['api'],
  }),
  created_at: DateTime,
  updated_at: DateTime,
  confirmed_at: instantOrNull('When the person confirmed.'),
  unsubscribed_at: instantOrNull('When the person left.'),
}

export const Subscriber = named('Subscriber', subscriberFields)
export type Subscriber = Static<typeof Subscriber>

export const SubscriberDetail = named('SubscriberDetail', {
  ...subscriberFields,
  language: nullable(
    oneOf(recipientLanguages, { description: 'What the contact chose; null: nothing.' }),
  ),
  topics: Type.Array(ChosenTopic, {
    description: 'The topics of the workspace, as the contact chose them.',
  }),
})
export type SubscriberDetail = Static<typeof SubscriberDetail>

export const SubscriberResult = named('SubscriberResult', {
  ...subscriberFields,
  created: Type.Boolean({ description: 'Whether the person is new.', examples: [true] }),
  confirmation_sent: Type.Boolean({
    description:
      'Whether this call asked the person to confirm: a pending one is asked again at most once an hour.',
    examples: [true],
  }),
})

export type SubscriberResult = Static<typeof SubscriberResult>

export const SubscriberList = listOf(Subscriber, 'SubscriberList')

export const SubscriberQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(oneOf(subscriberStatuses)),
  q: Text.optional({
    maxLength: limits.searchMax,
    description:
      'Part of the address or of a name, whatever its case and accents; one or two characters are looked for where a word begins.',
  }),
  after: Text.optional({
    maxLength: 100,
    ...knownId,
    description: 'Entries older than this id, in place of a cursor.',
  }),
})

export const SubscriberParams = Type.Object({
  email: Type.String({
    description: "The address, or the subscriber's `id`.",
    examples: ['camille@example.com'],
  }),
})

export const Unsubscribed = named('Unsubscribed', {
  object: Type.Literal('subscriber'),
  email: Type.String({ examples: ['camille@example.com'] }),
  status: Type.Literal('unsubscribed'),
  suppressed: Type.Boolean({
    description: 'Whether the address is on the suppression list.',
    examples: [true],
  }),
  deleted: Type.Literal(false, { description: 'The record is kept.' }),
})

/**
 * Everyone subscribed, the one segment that Resend's paths name: the same in every workspace, so it
 * names nothing that one of them has alone.
 */
export const everyoneId = '00000000-0000-4000-8000-000000000001'
