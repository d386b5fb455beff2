/** A number of entries that is counted up to a limit. */
import { Type, count, type Static } from './schema.ts'

/** Entries of a list are counted up to this: a count never reads without a bound. */
export const countedEntriesMax = 10_000

export const BoundedCount = Type.Object({
  count: count('Entries, counted up to a limit.'),
  more: Type.Boolean({ description: 'There are more than `count`.', examples: [false] }),
})
export type BoundedCount = Static<typeof BoundedCount>

/** By status: `{ sent: { count, more }, … }`. */
export const countsByStatus = <Status extends string>(statuses: readonly Status[]) =>
  Type.Object(
    Object.fromEntries(statuses.map((status) => [status, BoundedCount])) as Record<
      Status,
      typeof BoundedCount
    >,
  )

/** A bounded count of those that match, among `examined` entries of which at most one is beyond it. */
export const boundedCount = ({
  count: matching,
  examined = matching,
}: {
  count: number
  examined?: number
}): BoundedCount => ({
  count: Math.min(matching, countedEntriesMax),
  more: examined > countedEntriesMax,
})
