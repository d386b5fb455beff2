/**
 * Direct delivery: every envelope goes to the mail hosts of its recipient's domain.
 *
 * 1. It looks the route up (find-route.ts): a domain that does not exist or takes no mail is
 *    refused at once.
 * 2. Domains with the same hosts share one destination (destination.ts), which takes the envelope
 *    or says when it may come again.
 * 3. It is signed, and handed over through one of the destination's connections.
 */
import type { Clock } from '../../ground/clock.ts'
import type { DestinationRow } from '../../db/sending/destinations.ts'
import { rfcTimeouts, type Timeouts } from '../../mail/smtp-client/timeouts.ts'
import type { Envelope, Lease, Outcome, Provider, Sign } from '../provider.ts'
import { Bulkheads } from './bulkheads.ts'
import { Destination, type DestinationMemory, type DestinationOptions } from './destination.ts'
import { createFindRoute, type HostsRoute, type MxRouteOptions } from './find-route.ts'
import { createLookUps } from './look-ups.ts'
import type { HostOptions } from './open-through-hosts.ts'
import type { ProcessShare } from './process-share.ts'
import type { StsPolicies } from './sts-policies.ts'

export interface DirectMxOptions
  extends Omit<MxRouteOptions, 'policies'>, Pick<HostOptions, 'sourceAddresses'> {
  sign: Sign
  clock: Clock
  memory: SharedMemory
  /** Largest number of connections to one destination. */
  connectionsEach: number
  /** Opens the policies of MTA-STS, kept up to date until `stopping`. */
  openPolicies(stopping: AbortSignal): StsPolicies
  timeouts?: Partial<Timeouts>
}

export interface SharedMemory extends DestinationMemory {
  /** Passes on the reports of other processes, with little delay, until `stop`. */
  watch(report: (learned: Learned) => void): Watching
}

export interface Watching {
  /**
   * The processes that hand mail over now. Null while it is not known, and nothing is handed over.
   */
  share(): ProcessShare | null
  stop(): void
}

/** The state of a destination. */
export type Learned = Omit<DestinationRow, 'changedAt'>

/** Idle destinations that keep their connections. */
const restingMax = 64
/**
 * A destination that was not used for so long, with no open circuit, is dropped with its
 * connections; checked now and then.
 */
const idleMaxMs = 300_000
const sweepMs = 30_000
/**
 * Each destination learns this often how many processes there are, and gives up conversations that
 * are silent for long.
 */
const pollMs = 1_000

export function createDirectMx(options: DirectMxOptions): Provider {
  return new DirectMx(options)
}

class DirectMx implements Provider {
  readonly name = 'direct-mx'
  readonly captures = false
  /** A host that took a mail may still bounce it: silence means delivered, as with a relay. */
  readonly reportsDelivery = false
  readonly #options: DirectMxOptions
  readonly #hosts: Omit<DestinationOptions, 'name' | 'security'>
  readonly #lookUps: ReturnType<typeof createLookUps>
  readonly #destinations = new Map<string, Destination>()
  /** Idle destinations with open connections, the last used one at the end. */
  readonly #resting = new Set<Destination>()
  readonly #watching: Watching
  readonly #sweepers: NodeJS.Timeout[]
  readonly #bulkheads: Bulkheads
  readonly #stopping = new AbortController()
  /** State that other processes shared of destinations that this process has not used. */
  readonly #learned = new Map<string, { feedback: Learned; atMs: number }>()
  #inside = 0
  #closed = false

  constructor(options: DirectMxOptions) {
    this.#options = options
    const { clock, log, sign, port, sourceAddresses, memory, connectionsEach, countTls } = options
    this.#bulkheads = new Bulkheads(clock, () => this.#countWithheld())
    const helo = options.heloName === undefined ? {} : { heloName: options.heloName }
    const timeouts = { ...rfcTimeouts, ...options.timeouts }
    this.#hosts = {
      ...{
        clock,
        log,
        sign,
        port,
        sourceAddresses,
        timeouts,
        memory,
        countTls,
        bulkheads: this.#bulkheads,
      },
      ...{ connectionsMax: connectionsEach, ...helo },
    }
    this.#lookUps = createLookUps(
      clock,
      createFindRoute({ ...options, policies: options.openPolicies(this.#stopping.signal) }),
    )
    this.#watching = memory.watch((learned) => this.#learn(learned))
    this.#sweepers = [
      setInterval(() => this.#sweep(), sweepMs),
      setInterval(() => this.#look(), pollMs),
    ]
    for (const sweeper of this.#sweepers) sweeper.unref()
  }

  /** The commit alone accepts a call: no caller waits for hosts elsewhere. */
  inline(): boolean {
    return false
  }

  free(): number {
    if (this.#closed) return 0
    return this.#bulkheads.free(this.#inside)
  }

  async handOff(envelope: Envelope, lease: Lease): Promise<Outcome> {
    if (this.#closed) return { kind: 'returned', why: 'the provider is closing' }
    this.#inside++
    try {
      const domain = domainOf(envelope.recipient)
      const route = await this.#lookUps.find(domain)
      if (route.kind === 'postponed') return route
      if (route.kind === 'ended')
        return slowsNobody(envelope.attempt === 1 ? (route.first ?? route.outcome) : route.outcome)
      if (this.#closed) return { kind: 'returned', why: 'the provider is closing' }
      const destination = this.#destinationOf(route)
      destination.domain = domain
      destination.share = this.#watching.share()
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
    for (const sweeper of this.#sweepers) clearInterval(sweeper)
    await Promise.all(
      [...this.#destinations.values()].map((destination) => destination.close(withinMs)),
    )
  }

  /**
   * The last used ones keep their connections: a list of small domains would leave thousands open.
   */
  #rest(destination: Destination): void {
    if (destination.inside > 0 || !destination.isConnected) return
    this.#resting.add(destination)
    const [oldest] = this.#resting
    if (this.#resting.size <= restingMax || oldest === undefined) return
    this.#resting.delete(oldest)
    oldest.rest()
  }

  #destinationOf({ name, security, tiers }: HostsRoute): Destination {
    let destination = this.#destinations.get(name)
    if (destination === undefined) {
      destination = new Destination(
        { ...this.#hosts, name, security },
        { tiers, share: this.#watching.share() },
      )
      this.#destinations.set(name, destination)
      const learned = this.#learned.get(name)
      if (learned)
        destination.learn(aged(learned.feedback, this.#options.clock.monotonicMs() - learned.atMs))
    }
    destination.tiers = tiers
    return destination
  }

  #learn(feedback: Learned): void {
    this.#destinations.get(feedback.name)?.learn(feedback)
    this.#learned.set(feedback.name, { feedback, atMs: this.#options.clock.monotonicMs() })
  }

  /** An envelope whose look-up takes long counts as one of an unknown destination. */
  #countWithheld(): Record<'slow' | 'unknown', number> {
    const counts = { quick: 0, slow: 0, unknown: this.#lookUps.countSlow() }
    for (const destination of this.#destinations.values())
      if (destination.inside > 0) counts[destination.class] += destination.inside
    return counts
  }

  #look(): void {
    const share = this.#watching.share()
    const { isNearlyFull } = this.#bulkheads
    for (const destination of this.#destinations.values()) {
      destination.share = share
      if (isNearlyFull) destination.giveUpSilent()
    }
  }

  #sweep(): void {
    const beforeMs = this.#options.clock.monotonicMs() - idleMaxMs
    for (const [name, destination] of this.#destinations) {
      if (destination.inside > 0 || destination.neededUntilMs > beforeMs) continue
      this.#destinations.delete(name)
      this.#resting.delete(destination)
      void destination.close(0)
    }
    for (const [name, { feedback, atMs }] of this.#learned)
      if (atMs + feedback.circuit.openMs < beforeMs) this.#learned.delete(name)
  }
}

/** A deferral by one domain of many slows no other mail. */
const slowsNobody = (outcome: Outcome): Outcome =>
  outcome.kind === 'deferred' ? { ...outcome, slower: false } : outcome

/** The address of a recipient is parsed already: it has a domain. */
const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase()

const aged = ({ name, throttle, circuit }: Learned, ms: number): Learned => ({
  name,
  throttle: throttle && { ...throttle, ageMs: throttle.ageMs + ms },
  circuit: { ...circuit, openMs: Math.max(0, circuit.openMs - ms) },
})
