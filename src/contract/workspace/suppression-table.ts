/**
 * Defines users' operations for the table of suppressed addresses: its counts, its file, and the
 * removal of selected entries or of all that match.
 */
import { BoundedCount, countedEntriesMax } from '../counted.ts'
import { fileAnswer, ofMembers, operationsOf } from '../operations-of.ts'
import { Type, count, oneOf } from '../schema.ts'
import { suppressionFilter, suppressionReasons, type SuppressionReason } from '../suppression.ts'
import { audienceLimits } from './audience-limits.ts'
import { liftReason } from './suppression.ts'

/**
 * Entries of these reasons may be removed many at once. Who complained or unsubscribed said so
 * themselves: such an entry is removed alone.
 */
const together = ['manual', 'bounce'] as const
export const reasonsLiftedTogether: readonly SuppressionReason[] = together

const SuppressionCount = Type.Object({
  object: Type.Literal('suppression_count'),
  ...BoundedCount.properties,
  reasons: Type.Object(
    Object.fromEntries(suppressionReasons.map((reason) => [reason, BoundedCount])) as Record<
      SuppressionReason,
      typeof BoundedCount
    >,
  ),
  removable: Type.Object(
    { manual: BoundedCount, bounce: BoundedCount },
    {
      description:
        'Those that `liftMatchingSuppressions` would remove: they have an address, erased contacts have none.',
    },
  ),
})

const { reason, ...narrowing } = suppressionFilter

const LiftedEntries = Type.Object({
  object: Type.Literal('lifted_suppressions'),
  lifted: count('Entries that were removed.'),
  absent: count('Identifiers without an entry: it was removed before, or is of an erased contact.'),
  suppressed_by_platform: count(
    'Removed addresses that the list of the platform still suppresses.',
  ),
})

const suppression = operationsOf({ ...ofMembers, tag: 'Suppression' })
const { selectedTogetherMax } = audienceLimits
const counted = countedEntriesMax.toLocaleString('en-US')

export const suppressionTableOperations = {
  countSuppression: suppression.get('/api/v1/suppression/count', SuppressionCount, {
    summary: 'Count suppressed addresses by reason',
    description:
      `Each reason up to ${counted} entries; with \`q\`, the matches among the newest ${counted} entries. ` +
      'The list of the platform is not counted.',
    query: Type.Object(narrowing),
  }),
  exportSuppression: suppression.get('/api/v1/suppression/export', fileAnswer, {
    role: 'editor',
    summary: 'Export suppressed addresses',
    description:
      'All entries that match, newest first, as CSV that `importSuppression` reads. Erased contacts have no address, and are left out.',
    query: Type.Object({ reason, ...narrowing }),
  }),
  liftSelectedSuppressions: suppression.post('/api/v1/suppression/lift-selected', LiftedEntries, {
    summary: 'Take selected addresses off the suppression list',
    description:
      'All of them or, where one is refused, none. An address that unsubscribed or complained is refused (409 `not_lifted_together`, with its address): remove it alone.',
    fresh: true,
    body: Type.Object({
      ids: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: selectedTogetherMax,
        description: 'Identifiers of entries.',
      }),
      reason: liftReason,
    }),
    errors: ['conflict'],
  }),
  liftMatchingSuppressions: suppression.post('/api/v1/suppression/lift-matching', LiftedEntries, {
    summary: 'Take all matching addresses off the suppression list',
    description:
      'All of them or, where their number is another than `expected` (409 `suppressions_changed`), none. Addresses that unsubscribed or complained never match, nor do erased contacts. ' +
      `At most ${counted} entries of a reason are examined: 409 \`too_many_suppressions\` where there are more.`,
    fresh: true,
    body: Type.Object({
      matching: Type.Object({
        ...narrowing,
        reason: Type.Optional(oneOf(together, { description: 'Absent: both.' })),
      }),
      expected: Type.Integer({
        minimum: 1,
        description: 'The number of addresses that was confirmed.',
      }),
      reason: liftReason,
    }),
    errors: ['conflict'],
  }),
}
