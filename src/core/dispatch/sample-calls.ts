/**
 * Chooses which calls the log stores when they come fast: every refusal that a key makes within its
 * rate, and of the others some, evenly, so that these stand for all of them.
 */
import type { WorkspaceCall } from '../context.ts'

/**
 * Refusals that count towards no rate, so that they cost a caller nothing and nothing else limits
 * them: a client in a loop makes thousands a second. So many of a stream are stored one by one in a
 * minute; after them one a second stands for the others.
 */
const unlimited: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'insufficient_scope',
  'revoked_api_key',
])
const unlimitedPerMinute = 600

const isUnlimited = ({ code }: WorkspaceCall): boolean => code !== null && unlimited.has(code)

/** The calls of one key with one operation and one code. */
interface Stream {
  second: number
  /** Calls of this second. */
  seen: number
  /** One of so many is stored. */
  stride: number
  /** Calls since the last stored one, and the last of them. */
  skipped: number
  last: WorkspaceCall | null
}

/** `keep` receives each call to store, and how many calls it stands for. */
export function createSampler(
  perSecond: number,
  keep: (call: WorkspaceCall, calls: number) => void,
) {
  const streams = new Map<string, Stream>()
  /** Stored refusals without a rate, by stream. */
  let ofMinute = new Map<string, number>()
  let minute = 0

  const streamOf = (name: string, second: number, limit: number): Stream => {
    const stream = streams.get(name)
    if (!stream) {
      const begun = { second, seen: 0, stride: 1, skipped: 0, last: null }
      streams.set(name, begun)
      return begun
    }
    if (stream.second === second) return stream
    // The second before says how many to expect.
    stream.stride = stream.second === second - 1 ? Math.max(1, Math.ceil(stream.seen / limit)) : 1
    stream.second = second
    stream.seen = 0
    return stream
  }

  /** How many calls of the stream are stored in a second. */
  const limitOf = (name: string, { status }: WorkspaceCall, nowMs: number): number => {
    if (status < 400) return perSecond
    if (minute !== Math.floor(nowMs / 60_000)) ofMinute = new Map()
    minute = Math.floor(nowMs / 60_000)
    return (ofMinute.get(name) ?? 0) < unlimitedPerMinute ? Infinity : 1
  }

  return {
    /** False: the log stores no successful calls. */
    take(call: WorkspaceCall, nowMs: number): boolean {
      // The rate of the key bounds these.
      if (call.status >= 400 && !isUnlimited(call)) {
        keep(call, 1)
        return true
      }
      const name = `${call.keyId} ${call.operation} ${call.code}`
      const limit = limitOf(name, call, nowMs)
      if (limit === 0) return false
      const stream = streamOf(name, Math.floor(nowMs / 1000), limit)
      stream.seen++
      stream.skipped++
      // A rise within the second.
      if (stream.seen > limit * stream.stride) stream.stride *= 2
      if (stream.skipped < stream.stride) {
        stream.last = call
        return true
      }
      keep(call, stream.skipped)
      if (isUnlimited(call)) ofMinute.set(name, (ofMinute.get(name) ?? 0) + 1)
      stream.skipped = 0
      stream.last = null
      return true
    },
    /**
     * Stores the last skipped call of each stream that rests, for all skipped ones: the sum of the
     * rows is exact.
     */
    endIdle(nowMs: number): void {
      for (const [name, { second, skipped, last }] of streams) {
        if (second >= Math.floor(nowMs / 1000) - 1) continue
        if (last) keep(last, skipped)
        streams.delete(name)
      }
    },
    isBusy: (): boolean => streams.size > 0,
  }
}
