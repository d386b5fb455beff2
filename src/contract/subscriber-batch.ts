/** Defines batches of subscribers: many contacts in a call, each with a result of its own. */
import { Text, Type, count, instantOrNull, named, nullable, oneOf, type Static } from './schema.ts'
import { limits } from './limits.ts'
import { SubscriberRequest, subscriberStatuses } from './subscribers.ts'

/**
 * Its verb checks each entry alone, so that one that breaks a rule is one result among the others:
 * these are contacts that have nothing to do with each other. The mails of `POST /emails/batch` are
 * one act, sent whole or not at all (spec: rule 2 of every send).
 */
export const SubscriberBatchRequest = Type.Array(
  Type.Unsafe<SubscriberRequest>({ 'x-described': SubscriberRequest, 'x-alone': true }),
  { minItems: 1, maxItems: limits.subscriberBatchMax },
)

const keyedOnce = (description: string) =>
  Type.Object({
    'idempotency-key': Text.optional({
      maxLength: limits.idempotencyKeyMax,
      description: `${description} Kept at least 24 hours.`,
    }),
  })
export const SubscriberBatchHeaders = keyedOnce(
  'Unique per batch; the same call with the same key answers the same and changes nothing more.',
)
export const SubscriberImportHeaders = keyedOnce(
  'Unique per file; the same call with the same key answers the same import, as it is by then.',
)

export const SubscriberBatchResult = named('SubscriberBatchResult', {
  object: Type.Literal('subscriber'),
  email: Text.orNull({
    description: 'The address in lower case; null if the entry has none that can be read.',
    examples: ['camille@example.com'],
  }),
  result: oneOf(['created', 'updated', 'refused'], {
    description:
      '`created`: the contact is new. `updated`: what was sent is merged into the record. `refused`: nothing was changed, and `error` says why.',
  }),
  id: nullable(Type.String({ format: 'uuid' })),
  status: nullable(oneOf(subscriberStatuses)),
  confirmation_at: instantOrNull(
    'When the mail leaves that asks the contact to confirm. Null: none was sent.',
  ),
  error: nullable(
    Type.Object({
      code: Type.String({ description: 'As `error.code` of `POST /subscribers`.' }),
      message: Type.String(),
      details: Type.Object({}, { additionalProperties: true }),
    }),
  ),
})
export type SubscriberBatchResult = Static<typeof SubscriberBatchResult>

export const SubscriberBatch = named('SubscriberBatch', {
  data: Type.Array(SubscriberBatchResult, { description: 'In the order of the entries.' }),
  created: count('How many contacts are new.'),
  updated: count('How many were known.'),
  refused: count('How many were refused.'),
  confirmations: Type.Object({
    sent: count('Mails of this batch that ask to confirm.'),
    last_at: instantOrNull('When the last of them leaves.'),
    per_minute: Type.Integer({
      description: 'How many confirmations of batches and files leave in a minute.',
      examples: [limits.confirmationsPerMinute],
    }),
  }),
})
export type SubscriberBatch = Static<typeof SubscriberBatch>
