/** A number of entries that is counted up to a limit. */
import { Type, count } from './schema.ts'

/** Entries of a list are counted up to this: a count never reads without a bound. */
export const countedEntriesMax = 10_000

export const BoundedCount = Type.Object({
  count: count('Entries, counted up to a limit.'),
  more: Type.Boolean({ description: 'There are more than `count`.', examples: [false] }),
})

/** A bounded count of those that match, among `examined` entries of which at most one is beyond it. */
export const boundedCount = ({
  count: matching,
  examined,
}: {
  count: number
  examined: number
}): { count: number; more: boolean } => ({
  count: Math.min(matching, countedEntriesMax),
  more: examined > countedEntriesMax,
})
