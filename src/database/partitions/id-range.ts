/**
 * The lowest and the highest of identifiers. A statement that names both opens only the partitions
 * of that time: PostgreSQL prunes none by `= any (…)` of a parameter (docs/decisions/0048).
 */

const none = '00000000-0000-0000-0000-000000000000'

export const lowestId = (ids: readonly string[]): string =>
  ids.reduce((low, id) => (id < low ? id : low), ids[0] ?? none)
export const highestId = (ids: readonly string[]): string =>
  ids.reduce((high, id) => (id > high ? id : high), none)
