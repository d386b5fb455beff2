/** Defines how many entries a list has, counted up to a bound so that no count reads without end. */
import { Type, count, type Static } from '../schema.ts'

/** Entries of one filter are counted up to this. */
export const listCountedMax = 10_000

export const BoundedCount = Type.Object({
  count: count('Entries that match.'),
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

/** What was counted up to one more than the bound. */
export const boundedCount = (counted: number): BoundedCount => ({
  count: Math.min(counted, listCountedMax),
  more: counted > listCountedMax,
})
