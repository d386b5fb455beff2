/** Identifiers: UUID version 7 (RFC 9562 5.7), so that an index on them grows at its end. */
import { randomFillSync } from 'node:crypto'

/** Gives one new identifier a call. */
export type MakeId = () => string

const pool = Buffer.alloc(8 * 256)
let used = pool.length
const countMax = 0xfff

/**
 * A maker of UUIDv7 that stamps them with `nowMs` (milliseconds since 1970). Those of one maker
 * grow, also within a millisecond: the 12 bits after the time count (RFC 9562 6.2, method 1), so
 * that lists keep the order of what happened.
 */
export function makeIds(nowMs: () => number): MakeId {
  let lastMs = 0
  let count = 0
  return () => {
    const now = nowMs()
    if (now > lastMs) {
      lastMs = now
      count = 0
    } else if (count === countMax) {
      lastMs++
      count = 0
    } else count++
    return idOf(lastMs, count)
  }
}

/** One identifier of a moment in milliseconds since 1970, whose order within it does not matter. */
export const idAt = (ms: number): string => idOf(ms, 0)

function idOf(ms: number, count: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 8)
  used += 8
  const time = ms.toString(16).padStart(12, '0')
  const variant = ((Number.parseInt(random[0] ?? '0', 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Whether a text from outside can be an identifier of ours; any other is "not found" without a
 * query.
 */
export const isId = (text: string): boolean => uuidPattern.test(text)

/** No identifier of this time or later is smaller. `ms`: since 1970. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** The time that an identifier of ours carries, in milliseconds since 1970. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
