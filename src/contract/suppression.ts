/** Defines the suppression list (spec: Suppression entry; semantics 4). */
import { limits } from './limits.ts'
import { DateTime, PageQuery, Text, Type, listOf, named, oneOf, type Static } from './schema.ts'
import { addressAlone, knownId, timeText } from './text-rules.ts'

/** From the weakest to the strongest: a second entry keeps the stronger reason. */
export const suppressionReasons = ['unsubscribe', 'manual', 'bounce', 'complaint'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

export const SuppressionEntry = named('SuppressionEntry', {
  object: Type.Literal('suppression'),
  id: Type.String({ format: 'uuid' }),
  email: Type.String({ examples: ['camille@example.com'] }),
  reason: oneOf(suppressionReasons),
  scope: oneOf(['organization', 'platform'], {
    description: 'Excluded for this workspace, or for the whole platform.',
  }),
  source_id: Text.orNull({ description: 'The message that caused it, when one did.' }),
  created_at: DateTime,
})
export type SuppressionEntry = Static<typeof SuppressionEntry>

export const SuppressionRequest = named('SuppressionRequest', {
  email: Type.String({
    minLength: limits.addressMin,
    maxLength: limits.addressMax,
    ...addressAlone,
    examples: ['camille@example.com'],
  }),
  reason: Type.Optional(oneOf(suppressionReasons, { default: 'manual' })),
})

export const SuppressionQuery = Type.Object({
  ...PageQuery.properties,
  email: Text.optional({
    maxLength: limits.addressMax,
    ...addressAlone,
    description: 'Checks one address.',
  }),
  id: Text.optional({ format: 'uuid', description: 'This entry of the workspace alone.' }),
  after: Text.optional({
    maxLength: 100,
    ...knownId,
    description: 'Entries older than this id, in place of a cursor.',
  }),
})
export type SuppressionQuery = Static<typeof SuppressionQuery>

/** What narrows the list beside its pages. */
export const suppressionFilter = {
  reason: Type.Optional(oneOf(suppressionReasons, { description: 'Served by an index.' })),
  q: Text.optional({ maxLength: limits.searchMax, description: 'Part of the address.' }),
  from: Text.optional({ ...timeText, description: 'Entries from then on.' }),
  to: Text.optional({ ...timeText, description: 'Entries before then.' }),
}

/** What users give: the table of the pages filters by it. */
export const SuppressionSearch = Type.Object({
  ...SuppressionQuery.properties,
  ...suppressionFilter,
})

export const SuppressionList = listOf(SuppressionEntry, 'SuppressionList')
