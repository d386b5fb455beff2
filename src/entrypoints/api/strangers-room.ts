/**
 * The memory for bodies of callers without key or session: small, and apart from that of senders
 * (security: What attacks taught).
 *
 * - A body arrives within seconds, and a network has few arriving at once.
 * - Where room is missing, the bodies that arrived least make room: the oldest one of the network
 *   that holds the largest part. Slow bodies so displace each other, and a quick one is always
 *   read.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../ground/clock.ts'
import { ApiError } from '../../contract/errors.ts'
import type { ReadStrangersBody } from '../../core/dispatch/entry-points.ts'
import { networkOf } from '../../core/network-of.ts'
import { collect, type BodySlot } from './read-body.ts'

/** Time from the begin of reading to the last byte. */
const arriveWithinMs = 10_000
/** Bodies of one network that arrive at once. */
const arrivingMax = 20

interface Body {
  network: string
  bytes: number
  readonly sinceMs: number
  /** Ends its reading with a refusal. */
  revoke: () => void
}

/** A caller without key or session. */
interface Stranger {
  address: string
  response: ServerResponse
}

export class StrangersRoom {
  readonly #bytesMax: number
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #bytes = 0
  /** Of each network, the oldest first. */
  readonly #arriving = new Map<string, Set<Body>>()

  constructor({ bytesMax, clock }: { bytesMax: number; clock: Pick<Clock, 'monotonicMs'> }) {
    this.#bytesMax = bytesMax
    this.#clock = clock
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Memory for one body; the caller releases it when the call is answered. */
  enter({ address, response }: Stranger): BodySlot {
    const body: Body = {
      network: networkOf(address),
      bytes: 0,
      sinceMs: this.#clock.monotonicMs(),
      revoke: () => undefined,
    }
    return {
      get retained() {
        return body.bytes
      },
      // Bodies of strangers are smaller than those that reserve memory.
      reserve: () => Promise.resolve(true),
      begin: (revoke) => {
        body.revoke = () => {
          // Its rest is not waited for.
          response.shouldKeepAlive = false
          this.#release(body)
          revoke()
        }
        this.#begin(body)
      },
      retain: (bytes) => {
        body.bytes += bytes
        this.#bytes += bytes
        return this.#makeRoom(body)
      },
      end: () => this.#end(body),
      leave: () => this.#release(body),
    }
  }

  /** Refuses the bodies that took too long at this moment. */
  sweep(nowMs: number): void {
    for (const bodies of [...this.#arriving.values()]) {
      for (const body of [...bodies]) if (nowMs - body.sinceMs >= arriveWithinMs) body.revoke()
    }
  }

  #begin(body: Body): void {
    const bodies = this.#arriving.get(body.network) ?? new Set()
    this.#arriving.set(body.network, bodies.add(body))
    const [oldest] = bodies
    if (bodies.size > arrivingMax) oldest?.revoke()
  }

  /** False if this body itself is refused, because what arrived completely fills the room. */
  #makeRoom(body: Body): boolean {
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = [...this.#arriving.values()].reduce(larger, new Set())
      if (!oldest || oldest === body) return false
      oldest.revoke()
    }
    return true
  }

  #end(body: Body): void {
    const bodies = this.#arriving.get(body.network)
    bodies?.delete(body)
    if (bodies?.size === 0) this.#arriving.delete(body.network)
  }

  #release(body: Body): void {
    this.#end(body)
    this.#bytes -= body.bytes
    body.bytes = 0
  }
}

const larger = (a: Set<Body>, b: Set<Body>): Set<Body> => (sumOf(b) > sumOf(a) ? b : a)
const sumOf = (bodies: Set<Body>): number => [...bodies].reduce((sum, { bytes }) => sum + bytes, 0)

/** Reads the body of a page's form, or of a notice, as bytes. Never rejects. */
export const createReadStrangersBody =
  (room: StrangersRoom): ReadStrangersBody =>
  async ({ raw, ip }, { raw: response }, bytesMax) => {
    const location = room.enter({ address: ip ?? '', response })
    try {
      return { bytes: await collect(raw, { slot: location, bytesMax }) }
    } catch (error) {
      if (!(error instanceof ApiError)) return { refused: 'left' }
      const { rule } = error.details
      return {
        refused:
          rule === 'body_bytes' ? 'too_large' : rule === 'request_time' ? 'too_slow' : 'busy',
      }
    } finally {
      location.leave()
    }
  }
