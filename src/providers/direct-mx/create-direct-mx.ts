/**
 * Our own delivery: every envelope goes to the hosts that take mail for its recipient's domain.
 *
 * 1. the way is looked up (find-route.ts): what does not exist or takes no mail is refused at once
 * 2. domains with the same hosts share one destination (destination.ts), which takes the envelope or says when it may come again
 * 3. it is signed, and handed over through one of the destination's connections
 */
import type { BlockList } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { Resolver } from '../../dns/lookup.ts'
import { rfcTimeouts } from '../../mail/smtp-client/timeouts.ts'
import type { Timeouts } from '../../mail/smtp-client/timeouts.ts'
import type { Envelope, Lease, Outcome, Provider } from '../provider.ts'
import type { CircuitReport } from './circuit.ts'
import { Destination } from './destination.ts'
import type { DestinationMemory, DestinationOptions } from './destination.ts'
import { createRoutes } from './find-route.ts'
import type { HostsRoute } from './find-route.ts'
import { LookUps } from './look-ups.ts'
import type { Throttle } from './pace.ts'
import type { StsPolicies } from './sts-policies.ts'
import type { Signing } from '../try-sign.ts'

export interface DirectMxOptions extends Signing {
  clock: Clock
  resolver: Resolver
  memory: SharedMemory
  /** Our name in EHLO; absent: an address literal. */
  heloName?: string
  /** The addresses that connections leave from, at most one of each family; none: the system chooses. */
  sourceAddresses: readonly string[]
  /** 25, but in tests. */
  port: number
  /** Connections to one destination at most. */
  connectionsEach: number
  /** Ranges that may be dialled although they are not public. */
  allowed: BlockList
  /** The policies of MTA-STS, kept up to date until `stopping`. */
  openPolicies(stopping: AbortSignal): StsPolicies
  timeouts?: Partial<Timeouts>
}

export interface SharedMemory extends DestinationMemory {
  /** Tells, until `stop`, what other processes learned; soon after they did. */
  watch(tell: (learned: Learned) => void): { stop(): void }
}

export interface Learned {
  name: string
  throttle: Throttle | null
  circuit: CircuitReport
}

/** Envelopes under way at once. Those of destinations that say nothing do not count, up to so many: they hold up nobody. */
const insideMax = 256
const stuckMax = 160
/** Destinations that keep connections without work. */
const restingMax = 64
/** A destination that was not used for so long, nor kept shut, is forgotten, with its connections; looked for now and then. */
const forgottenMs = 300_000
const sweepMs = 30_000
/** `stuck` is counted anew so often. */
const countedMs = 100

export function createDirectMx(options: DirectMxOptions): Provider {
  return new DirectMx(options)
}

class DirectMx implements Provider {
  readonly name = 'direct-mx'
  /** A host that took a mail may still bounce it: silence tells, as with a relay. */
  readonly tellsDelivery = false
  readonly #options: DirectMxOptions
  readonly #hosts: Omit<DestinationOptions, 'name' | 'security'>
  readonly #lookUps: LookUps
  readonly #destinations = new Map<string, Destination>()
  /** Destinations without envelopes whose connections are kept, the one used last at the end. */
  readonly #resting = new Set<Destination>()
  readonly #watching: { stop(): void }
  readonly #sweeper: NodeJS.Timeout
  readonly #stopping = new AbortController()
  /** What was learned of destinations that this process has not met. */
  readonly #learned = new Map<string, { news: Learned; atMs: number }>()
  #inside = 0
  #stuck = { count: 0, atMs: -Infinity }
  #closed = false

  constructor(options: DirectMxOptions) {
    this.#options = options
    const { clock, log, sign, port, sourceAddresses, memory, connectionsEach } = options
    const helo = options.heloName === undefined ? {} : { heloName: options.heloName }
    const timeouts = { ...rfcTimeouts, ...options.timeouts }
    this.#hosts = { clock, log, sign, port, sourceAddresses, timeouts, memory, connectionsMax: connectionsEach, ...helo }
    this.#lookUps = new LookUps(clock, createRoutes({ ...options, policies: options.openPolicies(this.#stopping.signal) }))
    this.#watching = memory.watch((learned) => this.#learn(learned))
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs)
    this.#sweeper.unref()
  }

  /** Accepted by the commit: no caller waits for hosts elsewhere. */
  inline(): boolean {
    return false
  }

  free(): number {
    if (this.#closed) return 0
    return Math.max(0, insideMax - this.#inside + Math.min(stuckMax, this.#countStuck()))
  }

  async handOff(envelope: Envelope, lease: Lease): Promise<Outcome> {
    if (this.#closed) return { kind: 'returned', why: 'the provider is closing' }
    this.#inside++
    try {
      const route = await this.#lookUps.find(domainOf(envelope.recipient))
      if (route.kind === 'postponed') return route
      if (route.kind === 'ended') return slowsNobody(route.outcome)
      if (this.#closed) return { kind: 'returned', why: 'the provider is closing' }
      const destination = this.#destinationOf(route)
      this.#resting.delete(destination)
      return await destination.handOff(envelope, lease).finally(() => this.#rest(destination))
    } finally {
      this.#inside--
    }
  }

  async close(withinMs: number): Promise<void> {
    this.#closed = true
    this.#watching.stop()
    this.#stopping.abort()
    clearInterval(this.#sweeper)
    await Promise.all([...this.#destinations.values()].map((destination) => destination.close(withinMs)))
  }

  /** Those that were used last keep their connections: a list of small domains would leave thousands open. */
  #rest(destination: Destination): void {
    if (destination.inside > 0) return
    this.#resting.add(destination)
    const [oldest] = this.#resting
    if (this.#resting.size <= restingMax || oldest === undefined) return
    this.#resting.delete(oldest)
    oldest.rest()
  }

  #destinationOf({ name, security, tiers }: HostsRoute): Destination {
    let destination = this.#destinations.get(name)
    if (destination === undefined) {
      destination = new Destination({ ...this.#hosts, name, security }, tiers)
      this.#destinations.set(name, destination)
      const learned = this.#learned.get(name)
      if (learned) destination.learn(aged(learned.news, this.#options.clock.monotonicMs() - learned.atMs))
    }
    destination.tiers = tiers
    return destination
  }

  #learn(news: Learned): void {
    this.#destinations.get(news.name)?.learn(news)
    this.#learned.set(news.name, { news, atMs: this.#options.clock.monotonicMs() })
  }

  #countStuck(): number {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#stuck.atMs < countedMs) return this.#stuck.count
    let count = 0
    for (const destination of this.#destinations.values()) if (destination.isStuck) count += destination.inside
    count += this.#lookUps.countSlow()
    this.#stuck = { count, atMs: nowMs }
    return count
  }

  #sweep(): void {
    const beforeMs = this.#options.clock.monotonicMs() - forgottenMs
    for (const [name, destination] of this.#destinations) {
      if (destination.inside > 0 || destination.neededUntilMs > beforeMs) continue
      this.#destinations.delete(name)
      this.#resting.delete(destination)
      void destination.close(0)
    }
    for (const [name, { news, atMs }] of this.#learned) if (atMs + news.circuit.openMs < beforeMs) this.#learned.delete(name)
  }
}

/** One domain among many. */
const slowsNobody = (outcome: Outcome): Outcome => (outcome.kind === 'deferred' ? { ...outcome, slower: false } : outcome)

/** Whoever has a recipient has parsed it: there is one. */
const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

const aged = ({ name, throttle, circuit }: Learned, ms: number): Learned => ({
  name,
  throttle: throttle && { ...throttle, ageMs: throttle.ageMs + ms },
  circuit: { ...circuit, openMs: Math.max(0, circuit.openMs - ms) },
})
