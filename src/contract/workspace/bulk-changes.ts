/**
 * Defines changes of contacts, for members: of one, of selected ones, or of all that match when the
 * change is confirmed. A worker makes them, and their progress is read here.
 */
import { limits } from '../limits.ts'
import { accepted, created, fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { DateTime, Text, Type, count, instantOrNull, oneOf, wholeListOf } from '../schema.ts'
import { Definition } from '../segment-schema.ts'
import { audienceFilter, segmentFilter } from './audience.ts'
import { audienceLimits } from './audience-limits.ts'
import { bulkLimits } from './bulk-limits.ts'

const id = Type.String({ format: 'uuid' })

export const bulkActions = ['tag', 'untag', 'set_field', 'unsubscribe', 'erase', 'export'] as const
export const bulkStates = ['waiting', 'running', 'completed', 'stopped'] as const

/** Why a contact stays as it is. */
export const leftOutReasons = [
  'unchanged',
  'gone',
  'tags_full',
  'field_changed',
  'being_sent',
  'failed',
] as const

const BulkChange = Type.Object({
  object: Type.Literal('bulk_change'),
  id,
  action: oneOf(bulkActions),
  contact: Text.orNull({
    description:
      'The identifier of the one contact that it is for; of one who is no subscriber, the address, and once it has ended the identifier of the change. Null: it is for many.',
  }),
  email: Text.orNull({
    description: 'The address of the one contact. Null: it is for many, or nobody has it any more.',
  }),
  tag: Text.orNull(),
  field: Text.orNull({ description: 'The key of the field that gets a value.' }),
  value: Text.orNull({
    description: 'The value of the field; empty: it is cleared. Null once the change has ended.',
  }),
  state: oneOf(bulkStates, {
    description: '`waiting`: it can still be stopped before anything changes.',
  }),
  waits_seconds: count('Seconds until it begins; 0 if it has.'),
  stopping: Type.Boolean({ description: 'It ends after the contact under way.' }),
  contacts: count('Contacts that it was confirmed for.'),
  done: count('Those of them that are worked off.'),
  changed: count('Those that it changed.'),
  left_out: Type.Array(
    Type.Object({ reason: oneOf(leftOutReasons), contacts: count('So many.') }),
    {
      description:
        '`unchanged`: they needed no change; `gone`: erased since; `tags_full`: no room for a tag; `field_changed`: the value no longer fits the field; `being_sent`: a mail was leaving, so that they were not erased; `failed`: it ended with an error three times.',
    },
  ),
  by: Type.String({ description: 'The member who confirmed it.', examples: ['a@example.com'] }),
  created_at: DateTime,
  ended_at: instantOrNull('Null: it goes on.'),
})

const chosen = {
  ids: Type.Optional(
    Type.Array(id, {
      minItems: 1,
      maxItems: bulkLimits.idsMax,
      description: 'One alone: the change waits for no other.',
    }),
  ),
  matching: Type.Optional(
    Type.Object({
      ...audienceFilter,
      segment: Type.Optional(segmentFilter),
      definition: Type.Optional(Definition),
    }),
  ),
}

export const ContactSelection = Type.Object(chosen, {
  description:
    'Either `ids`, or `matching`: all that the filters, a segment and a definition select together. Contacts who match later are not touched.',
  examples: [{ matching: { tag: 'vip' } }],
})

const ErasedSelection = Type.Object(
  {
    ...chosen,
    address: Type.Optional(
      Type.String({
        maxLength: limits.addressMax,
        description: 'One contact, who may be no subscriber; 404 when nothing is known of them.',
      }),
    ),
  },
  {
    description: 'One of `ids`, `matching` and `address`.',
    examples: [{ address: 'camille@example.com' }],
  },
)

const selection = { selection: ContactSelection }
const confirmed = {
  expected: Type.Optional(
    count('The number of contacts that was confirmed: 409 `conflict` where another is found.'),
  ),
}
const tag = Type.String({
  minLength: 1,
  maxLength: limits.subscriberTagMax,
  examples: ['vip'],
})
const bulk = operationsOf({
  ...ofMembers,
  tag: 'Subscribers',
  errors: ['conflict', 'rate_limit_exceeded'],
})
const changes = operationsOf({ ...ofMembers, tag: 'Subscribers', params: Type.Object({ id }) })

export const bulkChangeOperations = {
  tagContacts: bulk.post('/api/v1/audience/bulk/tag', accepted(BulkChange), {
    summary: 'Tag many contacts',
    description: 'Adds one tag to each of the selection.',
    body: Type.Object({ ...selection, tag }),
  }),
  untagContacts: bulk.post('/api/v1/audience/bulk/untag', accepted(BulkChange), {
    summary: 'Remove a tag from many contacts',
    description: 'Removes one tag from each of the selection.',
    body: Type.Object({ ...selection, tag }),
  }),
  setContactsField: bulk.post('/api/v1/audience/bulk/set-field', accepted(BulkChange), {
    summary: 'Set a field of many contacts',
    description: 'A value that does not fit the type of the field is refused before.',
    body: Type.Object({
      ...selection,
      field: Type.String({ maxLength: audienceLimits.fieldKeyMax, examples: ['city'] }),
      value: Type.String({
        maxLength: limits.fieldValueMax,
        description: 'Empty: the field is cleared.',
        examples: ['Paris'],
      }),
    }),
  }),
  unsubscribeContacts: bulk.post('/api/v1/audience/bulk/unsubscribe', accepted(BulkChange), {
    summary: 'Unsubscribe many contacts',
    description: `Not undone: it begins after ${bulkLimits.waitSeconds} seconds, and can be stopped until then. Afterwards only the contacts themselves return.`,
    body: Type.Object({
      ...{ ...selection, ...confirmed },
      reason: Type.String({
        minLength: 1,
        maxLength: audienceLimits.reasonMax,
        description: 'Stored with the evidence of each contact.',
        examples: ['They asked at our stand'],
      }),
    }),
  }),
  eraseContacts: bulk.post('/api/v1/audience/bulk/erase', accepted(BulkChange), {
    fresh: true,
    summary: 'Erase many contacts',
    description: `Not undone: it begins after ${bulkLimits.waitSeconds} seconds, and can be stopped until then. A contact to whom a mail is leaving is suppressed, and left out.`,
    body: Type.Object({ selection: ErasedSelection, ...confirmed }),
    errors: ['not_found'],
  }),
  exportContacts: bulk.post('/api/v1/audience/bulk/export', created(BulkChange), {
    fresh: true,
    summary: 'Export many contacts',
    description: `Who confirmed it downloads the file within ${bulkLimits.downloadMinutes} minutes.`,
    body: Type.Object(selection),
  }),
  listBulkChanges: changes.get('/api/v1/audience/bulk', wholeListOf(BulkChange), {
    summary: 'List changes of many contacts',
    description: `Those that have not ended, and the newest others: ${bulkLimits.listedMax} of many contacts and as many of one each, with their progress or result.`,
  }),
  stopBulkChange: changes.post('/api/v1/audience/bulk/{id}/stop', BulkChange, {
    summary: 'Stop a change of many contacts',
    description:
      'While it waits, nothing has changed; while it runs, it ends after the contact under way. 409 once it has ended.',
    errors: ['conflict'],
  }),
  downloadBulkExport: changes.get('/api/v1/audience/bulk/{id}/file', fileAnswer, {
    role: 'editor',
    summary: 'Download exported contacts',
    description:
      'As CSV, newest first, as they are now. 404 for another member, and once the minutes are over.',
  }),
}
