/** Identifiers: UUID version 7 (RFC 9562 5.7), so that an index on them grows at its end. */
import { randomFillSync } from 'node:crypto'

/** Gives one new identifier a call. */
export type MakeId = () => string

const pool = Buffer.alloc(10 * 256)
let used = pool.length

/** A maker of UUIDv7 that stamps them with `nowMs` (milliseconds since 1970). */
export function makeIds(nowMs: () => number): MakeId {
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.toString('hex', used, used + 10)
    used += 10
    const time = nowMs().toString(16).padStart(12, '0')
    const variant = ((Number.parseInt(random[3] ?? '0', 16) & 0x3) | 0x8).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
  }
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text from outside can be an identifier of ours; one that cannot is "not found" without asking the database. */
export const isId = (text: string): boolean => uuidPattern.test(text)
