/** Reads a request's body as JSON, within its limit and the process's; what is wrong with it is told in the API's own shape. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { CallerLeft } from '../../core/dispatch/caller-left.ts'

/** Octets of bodies that a process holds at once; what comes beyond is asked to come again (security: JSON). */
export const bodiesHeldMax = 256 * 1024 * 1024

/** The bodies of the calls under way: each counts until its call is answered, for what was read of it lives as long. */
export class BodyRoom {
  readonly #octetsMax: number
  #octets = 0

  constructor(octetsMax: number) {
    this.#octetsMax = octetsMax
  }

  /** Room for one call's body, to be given back when the call is answered. */
  enter(): BodyPlace {
    let held = 0
    return {
      get held() {
        return held
      },
      hold: (octets) => {
        held += octets
        this.#octets += octets
        return this.#octets <= this.#octetsMax
      },
      leave: () => {
        this.#octets -= held
        held = 0
      },
    }
  }
}

export interface BodyPlace {
  /** Octets that came. */
  readonly held: number
  /** Counts octets that came; false when there is no room for them. */
  hold(octets: number): boolean
  leave(): void
}

interface Reading {
  place: BodyPlace
  bytesMax: number
  /** Says that the body may come; what its headers forbid is refused before. */
  goAhead: () => void
}

/** Throws `validation_error` for what is no JSON, `internal_error` when the process holds too much, CallerLeft. */
export async function readBody(request: IncomingMessage, { place, bytesMax, goAhead }: Reading): Promise<unknown> {
  judgeContentType(request.headers['content-type'])
  judgeContentEncoding(request.headers['content-encoding'])
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  goAhead()
  return parse(await collect(request, place, bytesMax))
}

/** By events: an iterator over the stream costs more than all the rest of reading a small body. */
function collect(request: IncomingMessage, place: BodyPlace, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(new CallerLeft())
    const chunks: Buffer[] = []
    let counted = 0
    const settle = (end: () => void): void => {
      request.off('data', take).off('end', done).off('error', gone).off('close', gone)
      end()
    }
    const refuse = (error: Error): void =>
      settle(() => {
        // The rest is let through unread, so that the refusal can be answered.
        request.resume()
        reject(error)
      })
    const take = (chunk: Buffer): void => {
      counted += chunk.length
      if (counted > bytesMax) return refuse(tooLarge(bytesMax))
      if (!place.hold(chunk.length)) return refuse(new ApiError('internal_error', { reason: 'busy' }, 5))
      chunks.push(chunk)
    }
    const done = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    // A request has no other error than that its connection broke.
    const gone = (): void => settle(() => reject(new CallerLeft()))
    request.on('data', take).on('end', done).on('error', gone).on('close', gone)
  })
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw malformed('utf-8')
  // Each takes an octet at least.
  if (bytes.length > limits.jsonValuesMax && holdsTooMuch(bytes)) {
    throw new ApiError('validation_error', { path: '', rule: 'values', limit: limits.jsonValuesMax })
  }
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw malformed('json')
  }
}

/**
 * Whether there are more lists, objects and commas before anything but a number than a body may hold values: ten million
 * empty objects would take a second and half a gigabyte before anyone could count them. Numbers are left to be counted after
 * parsing: they take little, and a file may be a list of them.
 */
function holdsTooMuch(bytes: Buffer): boolean {
  let found = 0
  let inText = false
  let afterComma = false
  for (let place = 0; place < bytes.length; place++) {
    const octet = bytes[place] ?? 0
    if (inText) {
      if (octet === backslash) place++
      else if (octet === quote) inText = false
      continue
    }
    if (octet <= space) continue
    if (octet === bracket || octet === brace || (afterComma && !isNumberStart(octet))) found++
    afterComma = octet === comma
    inText = octet === quote
    if (found > limits.jsonValuesMax) return true
  }
  return false
}

const [space, quote, comma, backslash, bracket, brace] = [0x20, 0x22, 0x2c, 0x5c, 0x5b, 0x7b]

/** A digit or a minus sign. */
const isNumberStart = (octet: number): boolean => (octet >= 0x30 && octet <= 0x39) || octet === 0x2d

/** A body without a content type is read as JSON (semantics 4). */
function judgeContentType(type: string | undefined): void {
  if (type === undefined || type.trim() === '') return
  // JSON is UTF-8 (RFC 8259, section 8.1), and ASCII is part of it.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8'
  if (!/^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i.test(type) || !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError('validation_error', {
      path: '',
      rule: 'content_type',
      expected: 'application/json',
      hint: 'content_type',
    })
  }
}

/** Bodies come as they are: what was pressed has no size that could be judged before it is read. */
function judgeContentEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*(?:identity)?\s*$/i.test(encoding)) return
  throw new ApiError('validation_error', { path: '', rule: 'content_encoding', expected: 'identity' })
}

export const tooLarge = (limit: number): ApiError => new ApiError('validation_error', { path: '', rule: 'body_bytes', limit })

const malformed = (rule: string): ApiError => new ApiError('validation_error', { path: '', rule })
