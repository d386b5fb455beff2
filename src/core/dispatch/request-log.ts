/**
 * Logs calls off their path: a call leaves one small object here, and groups of them are written
 * once a second (docs/decisions/0053). Each refusal that a key makes within its rate has a row. Of
 * other calls each key, operation and code is a stream: beyond a rate it stores one of several,
 * evenly, and the row says for how many it stands.
 */
import { idAt } from '../../ground/ids.ts'
import type { Context, RequestLog, RequestLogCounts, WorkspaceCall } from '../context.ts'
import { createRequestWriter, waitingMax, type WaitingCall } from './write-requests.ts'

const writeEachMs = 1_000

/**
 * `perSecond`: successful calls of a stream in a second, beyond which some stand for others; 0
 * stores refused calls alone.
 */
export function createRequestLog(
  ctx: Pick<Context, 'countingDb' | 'clock' | 'log'>,
  perSecond: number,
): RequestLog {
  const { clock } = ctx
  const counts: RequestLogCounts = { stored: 0, sampled: 0, dropped: 0 }
  const waiting: WaitingCall[] = []
  const writer = createRequestWriter(ctx, waiting, counts)
  let timer: NodeJS.Timeout | null = null

  const keep = (call: WorkspaceCall, calls: number): void => {
    counts.sampled += calls - 1
    waiting.push({ ...call, id: idAt(call.atMs), calls })
    if (waiting.length > waitingMax) writer.makeRoom()
  }
  const sampler = createSampler(perSecond, keep)

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      sampler.endIdle(clock.monotonicMs())
      void writer.write().finally(() => {
        timer = null
        if (waiting.length > 0 || sampler.isBusy()) schedule()
      })
    }, writeEachMs).unref()
  }

  return {
    record(call) {
      if (!sampler.take(call, clock.monotonicMs())) counts.sampled++
      schedule()
    },
    counts: () => counts,
    async flush() {
      sampler.endIdle(Infinity)
      // A write under way may have begun before the last rows came.
      await writer.ended()
      await writer.write()
    },
  }
}

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
  count: number
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
    let stream = streams.get(name)
    if (!stream)
      streams.set(name, (stream = { second, count: 0, stride: 1, skipped: 0, last: null }))
    if (stream.second === second) return stream
    // The second before says how many to expect.
    stream.stride = stream.second === second - 1 ? Math.max(1, Math.ceil(stream.count / limit)) : 1
    stream.second = second
    stream.count = 0
    return stream
  }

  /** How many refusals of the stream are stored in a second. */
  const limitOfRefusals = (name: string, nowMs: number): number => {
    if (minute !== Math.floor(nowMs / 60_000)) ofMinute = new Map()
    minute = Math.floor(nowMs / 60_000)
    return (ofMinute.get(name) ?? 0) < unlimitedPerMinute ? Infinity : 1
  }

  return {
    /** False means the log stores no successful calls. */
    take(call: WorkspaceCall, nowMs: number): boolean {
      // The rate of the key bounds these.
      if (call.status >= 400 && !isUnlimited(call)) {
        keep(call, 1)
        return true
      }
      const name = `${call.keyId} ${call.operation} ${call.code}`
      const limit = call.status < 400 ? perSecond : limitOfRefusals(name, nowMs)
      if (limit === 0) return false
      const stream = streamOf(name, Math.floor(nowMs / 1000), limit)
      stream.count++
      stream.skipped++
      // A rise within the second.
      if (stream.count > limit * stream.stride) stream.stride *= 2
      if (stream.skipped < stream.stride) {
        stream.last = call
        return true
      }
      keep(call, stream.skipped)
      if (call.status >= 400) ofMinute.set(name, (ofMinute.get(name) ?? 0) + 1)
      stream.skipped = 0
      stream.last = null
      return true
    },
    /** Stores the last skipped call of a stream that rests, for all: the sum of rows is exact. */
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
