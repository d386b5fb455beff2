/**
 * Reads a request's body as JSON, within its limit and the process's, and reports errors in the
 * API's format.
 */
import type { BodyLoad } from '../../core/dispatch/entry-points.ts'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError, type ErrorDetails } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'
import { JoinedBytes } from '../../ground/joined-bytes.ts'
import { isTooMuch } from './json-bounds.ts'

/** A larger body of known length waits until memory for all of it is reserved. */
const largeBytes = 1024 * 1024
/** Longest wait in milliseconds; then the answer asks the caller to try again. */
export const roomWaitMs = 20_000
const retryAfterSeconds = 5

/**
 * The memory of the bodies of calls under way. Each counts until its call is answered, because its
 * parts stay in memory until then. Large bodies reserve memory in the order of arrival: read in
 * parallel, none might complete (security: JSON).
 */
export class BodyRoom {
  readonly #bytesMax: number
  #bytes = 0
  #peak = 0
  /** Bytes of bodies without a reservation. */
  #bytesUnreserved = 0
  readonly #waiting: { bytes: number; enter: () => void }[] = []

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  load(): BodyLoad {
    const waiting = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0)
    return { retained: this.#bytes, waiting, peak: this.#peak, limit: this.#bytesMax }
  }

  /** Memory for one call's body; the caller releases it when the call is answered. */
  enter(): BodySlot {
    let retained = 0
    let reserved = 0
    return {
      get retained() {
        return retained
      },
      reserve: async (bytes) => {
        if (!(await this.#enter(bytes))) return false
        reserved = bytes
        return true
      },
      retain: (bytes) => {
        retained += bytes
        if (reserved > 0) return retained <= reserved
        this.#add(bytes)
        this.#bytesUnreserved += bytes
        return this.#mayHold(retained)
      },
      leave: () => {
        this.#bytes -= reserved || retained
        if (reserved === 0) this.#bytesUnreserved -= retained
        retained = reserved = 0
        this.#letIn()
      },
    }
  }

  /** Memory for what a call fetches: releases it; null when none was free in time. */
  async reserve(bytes: number): Promise<(() => void) | null> {
    const location = this.enter()
    return (await location.reserve(bytes)) ? location.leave : null
  }

  #add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#peak) this.#peak = this.#bytes
  }

  /**
   * A quarter is reserved for small bodies, because a large one that is read alone may exceed the
   * whole limit.
   */
  #mayHold(own: number): boolean {
    return (
      this.#bytes <= this.#bytesMax ||
      this.#bytesUnreserved <= this.#bytesMax / 4 ||
      this.#bytes === own
    )
  }

  /** Resolves once the bytes are reserved; false after too long a wait. */
  #enter(bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter = {
        bytes,
        enter: () => {
          clearTimeout(timer)
          resolve(true)
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        resolve(false)
        this.#letIn()
      }, roomWaitMs)
      this.#waiting.push(waiter)
      this.#letIn()
    })
  }

  /** One large body is always read, whatever its size. */
  #fits(bytes: number): boolean {
    return this.#bytes === this.#bytesUnreserved || this.#bytes + bytes <= this.#bytesMax
  }

  #letIn(): void {
    for (let first = this.#waiting[0]; first && this.#fits(first.bytes); first = this.#waiting[0]) {
      this.#waiting.shift()
      this.#add(first.bytes)
      first.enter()
    }
  }
}

export interface BodySlot {
  /** Bytes received so far. */
  readonly retained: number
  /** Waits for the memory of a body of so many bytes; false when none was free in time. */
  reserve(bytes: number): Promise<boolean>
  /** Counts received bytes; false when they exceed the limit. */
  retain(bytes: number): boolean
  /**
   * Called when its reading begins: `revoke` ends it, if its memory is needed or it takes too long.
   * Absent if it is never ended.
   */
  begin?(revoke: () => void): void
  /** Called when its reading is over. */
  end?(): void
  leave(): void
}

interface Reading {
  slot: BodySlot
  bytesMax: number
  /** Asks a client that waits for the body, after the checks of its headers. */
  goAhead?: (() => void) | undefined
}

/**
 * Throws `validation_error` for invalid JSON, `internal_error` when the process is out of memory
 * for bodies, CallerLeft.
 */
export async function readBody(
  request: IncomingMessage,
  { slot: location, bytesMax, goAhead }: Reading,
): Promise<unknown> {
  if (hasNoBody(request)) return undefined
  checkContentType(request.headers['content-type'])
  checkContentEncoding(request.headers['content-encoding'])
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > bytesMax) throw tooLarge(bytesMax)
  if (length > largeBytes && !(await location.reserve(length))) {
    // The rest is let through unread, so that the refusal can be answered.
    request.resume()
    throw busy()
  }
  goAhead?.()
  return parse(
    await collect(request, {
      slot: location,
      bytesMax,
      expected: length > largeBytes ? length : 0,
    }),
  )
}

/** RFC 9112 6.3: a request without these headers has no body; a client may name its type anyway. */
const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

/**
 * Reads by events: for a small body, an iterator over the stream costs more than the rest of the
 * work. `expected`: bytes whose memory is taken at once, because to enlarge it on the way would
 * need more than was reserved.
 */
export function collect(
  request: IncomingMessage,
  { slot: location, bytesMax, expected = 0 }: Omit<Reading, 'goAhead'> & { expected?: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(new CallerLeft())
    let counted = 0
    // Most bodies come in one piece, which needs no copy.
    let first: Buffer | null = null
    let joined = expected > 0 ? new JoinedBytes(expected) : null
    const complete = (end: () => void): void => {
      request.off('data', take).off('end', done).off('error', gone).off('close', gone)
      location.end?.()
      end()
    }
    const refuse = (error: Error): void =>
      complete(() => {
        // The rest is let through unread, so that the refusal can be answered.
        request.resume()
        reject(error)
      })
    const take = (chunk: Buffer): void => {
      counted += chunk.length
      if (counted > bytesMax) return refuse(tooLarge(bytesMax))
      if (!location.retain(chunk.length)) return refuse(busy())
      if (joined) joined.add(chunk)
      else if (first === null) first = chunk
      else {
        joined = new JoinedBytes()
        joined.add(first)
        joined.add(chunk)
      }
    }
    const done = (): void => complete(() => resolve(joined?.all() ?? first ?? Buffer.alloc(0)))
    // The only error of a request is a broken connection.
    const gone = (): void => complete(() => reject(new CallerLeft()))
    // One that is there already takes nobody's time.
    if (!request.complete) location.begin?.(() => refuse(malformed('request_time')))
    request.on('data', take).on('end', done).on('error', gone).on('close', gone)
  })
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('utf-8')
  // Each takes at least one byte.
  if (bytes.length > limits.jsonValuesMax && isTooMuch(bytes)) {
    throw malformed('values', { limit: limits.jsonValuesMax })
  }
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw malformed('json')
  }
}

/** A body without a content type is read as JSON (semantics 4). */
function checkContentType(type: string | undefined): void {
  if (type === undefined || type.trim() === '') return
  // JSON is UTF-8 (RFC 8259, section 8.1), and ASCII is part of it.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8'
  if (
    !/^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i.test(type) ||
    !/^(?:utf-?8|us-ascii)$/i.test(charset)
  ) {
    throw malformed('content_type', { expected: 'application/json', hint: 'content_type' })
  }
}

/** Compressed bodies are refused, because their real size is unknown before they are read. */
function checkContentEncoding(encoding: string | undefined): void {
  if (['', 'identity'].includes((encoding ?? '').trim().toLowerCase())) return
  throw malformed('content_encoding', { expected: 'identity' })
}

const busy = (): ApiError => new ApiError('internal_error', { reason: 'busy' }, retryAfterSeconds)

export const tooLarge = (limit: number): ApiError => malformed('body_bytes', { limit })

const malformed = (rule: string, details: ErrorDetails = {}): ApiError =>
  new ApiError('validation_error', { path: '', rule, ...details })
