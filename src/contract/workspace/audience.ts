/**
 * Defines a workspace's audience for its members: subscribers are found by every filter, added and
 * edited by hand.
 */
import { fieldTypes } from '../field-types.ts'
import { limits } from '../limits.ts'
import { created, ofMembers, operationsOf } from '../operations-of.ts'
import {
  DateTime,
  PageQuery,
  Text,
  Type,
  instantOrNull,
  oneOf,
  textMap,
  wholeListOf,
} from '../schema.ts'
import { Subscriber, SubscriberRequest, subscriberStatuses } from '../subscribers.ts'
import { audienceLimits } from './audience-limits.ts'

/** How subscribers are added. */
export const subscriberSources = ['api', 'form', 'import', 'workspace'] as const

const tagName = Type.String({ minLength: 1, maxLength: limits.subscriberTagMax })
const tagList = Type.Array(tagName, { maxItems: limits.subscriberTagsMax })
const fieldKey = (description: string) =>
  Type.String({
    pattern: `^[a-z][a-z0-9_]{0,${audienceLimits.fieldKeyMax - 1}}$`,
    description,
    examples: ['city'],
  })
const name = Text.optional({ maxLength: limits.subscriberNameMax, description: 'Empty: cleared.' })
const fields = Type.Optional(
  textMap(
    { description: 'Merged into those that are there; an empty value clears.' },
    { maxLength: limits.fieldValueMax },
  ),
)

/** By every filter at once. */
export const audienceFilter = {
  status: Type.Optional(oneOf(subscriberStatuses)),
  q: Text.optional({
    maxLength: limits.searchMax,
    description: 'Part of the address or of a name.',
  }),
  tag: Type.Optional(tagName),
  source: Type.Optional(oneOf(subscriberSources)),
  field: Type.Optional(fieldKey('A custom field that is not empty.')),
  value: Text.optional({
    maxLength: limits.fieldValueMax,
    description: 'The value of that field, without regard to case and accents.',
  }),
}

export const segmentFilter = Type.String({
  format: 'uuid',
  description: 'A saved segment, which the other filters narrow.',
})

/** By every filter at once. A page that had to look through very many may hold few of them. */
export const AudienceQuery = Type.Object({ ...PageQuery.properties, ...audienceFilter })

/** The user's statement of a consent that no confirmation mail proves. */
export const consentWords = Type.String({
  minLength: audienceLimits.consentWordsMin,
  maxLength: audienceLimits.consentWordsMax,
  description: 'The consent of these subscribers, stored as evidence for each.',
})

const { double_opt_in: _ofKeys, ...record } = SubscriberRequest.properties
export const SubscriberByHand = Type.Object({
  ...record,
  consent: Type.Union([consentWords, Type.Null()], {
    description:
      'A text: subscribed at once, because the user vouches for the consent. Null: asked by a confirmation mail.',
  }),
})

const SubscriberEdit = Type.Object({
  firstName: name,
  lastName: name,
  add_tags: Type.Optional(tagList),
  remove_tags: Type.Optional(Type.Array(tagName)),
  fields,
})

const SubscriberField = Type.Object({
  object: Type.Literal('subscriber_field'),
  id: Type.String({ format: 'uuid' }),
  key: Type.String({ examples: ['city'] }),
  label: Text.orNull({ description: 'The name on the pages; null: its key.' }),
  type: oneOf(fieldTypes, { description: 'Which values fit; they are texts in every answer.' }),
  choices: Type.Array(Type.String(), { description: 'The values of a `choice`; else empty.' }),
  created_at: DateTime,
})

const fieldType = oneOf(fieldTypes, {
  description:
    '`number`: 12.5; `date`: 2026-11-29; `boolean`: true or false; `choice`: one of `choices`.',
})
const choices = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: audienceLimits.fieldChoiceMax }), {
    maxItems: audienceLimits.fieldChoicesMax,
    description: 'What a value of a `choice` may be, to the letter; other types have none.',
  }),
)
const TypeOfField = Type.Object({ type: fieldType, choices })

const FieldTypePreview = Type.Object({
  object: Type.Literal('subscriber_field_preview'),
  key: Type.String({ examples: ['birthday'] }),
  type: oneOf(fieldTypes),
  values: Type.Integer({ description: 'Subscribers who have a value.' }),
  misfits: Type.Integer({ description: 'Those of them whose value does not fit.' }),
  sample: Type.Array(
    Type.Object({
      id: Type.String({ format: 'uuid' }),
      email: Type.String({ examples: ['camille@example.com'] }),
      value: Type.String({ examples: ['29/11/1990'] }),
    }),
    { description: 'Ten of those at most, the newest subscribers first.' },
  ),
})

const fieldLabel = Type.Union(
  [Type.String({ minLength: 1, maxLength: audienceLimits.fieldLabelMax }), Type.Null()],
  { description: 'The name on the pages; without it, the key.' },
)
const byKey = Type.Object({ key: fieldKey('The key of the field.') })
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const TagList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.String()),
  has_more: Type.Boolean(),
})

const ConfirmationQueue = Type.Object({
  object: Type.Literal('confirmation_queue'),
  per_minute: Type.Integer({
    description: 'How many confirmations of batches and files by key leave in a minute.',
  }),
  until: instantOrNull('When the last one that waits has left. Null: none waits.'),
})

const audience = operationsOf({ ...ofMembers, tag: 'Subscribers' })

export const audienceOperations = {
  editSubscriber: audience.patch('/api/v1/audience/{id}', Subscriber, {
    summary: 'Edit a subscriber',
    description: 'Changes names, tags and fields in any status; the status stays.',
    params: byId,
    body: SubscriberEdit,
  }),
  getConfirmationQueue: audience.get('/api/v1/audience/confirmations', ConfirmationQueue, {
    summary: 'Read the queue of confirmations',
    description: 'Those that programs cause by batches and files leave one after the other.',
  }),
  listSubscriberTags: audience.get('/api/v1/audience/tags', TagList, {
    summary: 'List tags',
    description: 'Those that hold a text, by name, fifty at most.',
    query: Type.Object({ q: Text.optional({ maxLength: limits.subscriberTagMax }) }),
  }),
  listSubscriberFields: audience.get('/api/v1/audience/fields', wholeListOf(SubscriberField), {
    summary: 'List custom fields',
    description: 'All that are defined, by key.',
  }),
  defineSubscriberField: audience.post('/api/v1/audience/fields', created(SubscriberField), {
    summary: 'Define a custom field',
    description: 'Its key is for good; what the pages call it can be changed.',
    body: Type.Object({
      key: fieldKey('What merge tags and imports name it by.'),
      label: Type.Optional(fieldLabel),
      type: Type.Optional(fieldType),
      choices,
    }),
    errors: ['conflict'],
  }),
  previewSubscriberFieldType: audience.post(
    '/api/v1/audience/fields/{key}/type/preview',
    FieldTypePreview,
    {
      role: 'owner',
      summary: 'Preview the type of a custom field',
      description:
        'Counts the values that would not fit, and shows ten of them. Nothing is changed.',
      params: byKey,
      body: TypeOfField,
      errors: ['conflict'],
    },
  ),
  changeSubscriberFieldType: audience.patch('/api/v1/audience/fields/{key}/type', SubscriberField, {
    role: 'owner',
    summary: 'Change the type of a custom field',
    description:
      'From then on, a new value that does not fit is refused. Values that are there stay as they are: those that do not fit are shown, and count as empty where values are compared. Back to `text`, each of them counts again.',
    params: byKey,
    body: TypeOfField,
  }),
  renameSubscriberField: audience.patch('/api/v1/audience/fields/{key}', SubscriberField, {
    summary: 'Rename a custom field',
    description: 'The name on the pages; null: its key.',
    params: byKey,
    body: Type.Object({ label: fieldLabel }),
  }),
  deleteSubscriberField: audience.delete('/api/v1/audience/fields/{key}', SubscriberField, {
    summary: 'Delete a custom field',
    description:
      'Refused with 409 `field_in_use` while any subscriber has a value in it, and `field_in_segments` while a segment compares it.',
    params: byKey,
    errors: ['conflict'],
  }),
}
