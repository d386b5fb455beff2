/**
 * Metrics of what this process took on and handed over, and of the calls that it logged.
 *
 * Hand-offs are counted by the domains that get the most mail; all other domains share one line,
 * so that the number of lines has a bound.
 *
 * The first domains have a line of their own. A domain that outgrows the smallest of them takes its
 * place: the former counts go to the common line, and the new line begins at zero. So every line
 * only grows, and their sum is exact.
 */
import type { Counter, Gauge } from 'prom-client'
import type { Service, WorkCounts } from '../../core/context.ts'

export type MakeGauge = (name: string, help: string, ...labelNames: string[]) => Gauge
export type MakeCounter = (name: string, help: string, ...labelNames: string[]) => Counter

export function addWorkCounters(counter: MakeCounter, gauge: MakeGauge) {
  const handOffs = counter(
    'facteur_hand_offs_total',
    'Hand-offs of this process by outcome',
    'outcome',
  )
  const claims = counter(
    'facteur_claims_total',
    'Recipients that this process claimed, by lane',
    'lane',
  )
  const retries = counter(
    'facteur_retries_total',
    'Hand-offs of this process after the first try, by lane',
    'lane',
  )
  const toDestinations = counter(
    'facteur_destination_hand_offs_total',
    'Hand-offs of this process by provider, domain of the recipient (the fifty with the most mail, all others as "other") and outcome',
    ...['provider', 'destination', 'outcome'],
  )
  const logged = counter(
    'facteur_logged_calls_total',
    'Calls of this process for the log: stored, without a row of their own since another stands for them, and dropped',
    'state',
  )
  const leasedGauge = gauge(
    'facteur_held_recipients',
    'Recipients that this process holds: claimed, and their outcome is not recorded',
  )
  const destinations = createDestinationCounts()
  const watched: Pick<Service, 'sending' | 'requestLog'>[] = []
  const counts: WorkCounts = {
    claimed: (lane) => claims.inc({ lane }),
    handedOff({ lane, attempt, destination, provider, outcome }) {
      claims.inc({ lane })
      if (attempt > 1) retries.inc({ lane })
      destinations.add({ destination, provider, outcome, count: 1 })
    },
    ended: (outcome) => handOffs.inc({ outcome }),
  }
  return {
    counts,
    /** A service whose state is read: one for each cell. */
    watch(service: Pick<Service, 'sending' | 'requestLog'>): void {
      watched.push(service)
    },
    read(): void {
      toDestinations.reset()
      for (const { count, ...labels } of destinations.read())
        toDestinations.inc({ ...labels }, count)
      leasedGauge.set(watched.reduce((sum, { sending }) => sum + sending.leasedCount(), 0))
      logged.reset()
      for (const { requestLog } of watched)
        for (const [state, count] of Object.entries(requestLog.counts()))
          logged.inc({ state }, count)
    },
  }
}

/** Lines of domains beside the common one. */
export const destinationsMax = 50
/** The name of the common line; no domain has it. */
export const otherDestinations = 'other'

/** A domain without a line is compared with the smallest line after so many mails. */
const compareEach = 64
/** Domains without a line that are counted at once. */
const candidatesMax = 5_000

export interface DestinationCount {
  destination: string
  provider: string
  outcome: string
  count: number
}

/** The hand-offs of one line. */
class Tally {
  total = 0
  readonly #counts = new Map<string, Omit<DestinationCount, 'destination'>>()

  add({ provider, outcome, count }: Omit<DestinationCount, 'destination'>): void {
    const key = `${provider} ${outcome}`
    const known = this.#counts.get(key)
    if (known) known.count += count
    else this.#counts.set(key, { provider, outcome, count })
    this.total += count
  }

  *[Symbol.iterator](): Generator<Omit<DestinationCount, 'destination'>> {
    yield* this.#counts.values()
  }
}

export function createDestinationCounts() {
  const lines = new Map<string, Tally>()
  const others = new Tally()
  const candidates = new Map<string, number>()

  const begin = (domain: string): Tally => {
    const tally = new Tally()
    lines.set(domain, tally)
    candidates.delete(domain)
    return tally
  }
  const tallyOf = (domain: string): Tally => {
    const known = lines.get(domain)
    if (known) return known
    if (lines.size < destinationsMax) return begin(domain)
    const mails = (candidates.get(domain) ?? 0) + 1
    if (candidates.size >= candidatesMax) candidates.clear()
    candidates.set(domain, mails)
    if (mails % compareEach > 0) return others
    const [[name, smallest] = ['', others]] = [...lines].toSorted(
      ([, tally], [, other]) => tally.total - other.total,
    )
    if (mails < 2 * smallest.total) return others
    for (const counted of smallest) others.add(counted)
    lines.delete(name)
    return begin(domain)
  }

  return {
    add({ destination, ...counted }: DestinationCount): void {
      tallyOf(destination).add(counted)
    },
    *read(): Generator<DestinationCount> {
      for (const [destination, tally] of [...lines, [otherDestinations, others] as const])
        for (const counted of tally) yield { destination, ...counted }
    },
  }
}
