/**
 * Limits the concurrent calls in all and to each host, so that a receiver that is slow or away
 * delays only itself.
 *
 * A host begins with a few calls at once, and gets one more with each quick end of a call, whatever
 * the answer. A slow host keeps a single one. A quick host may have more deliveries claimed, which
 * wait here: their statements then share more rows. Half of all slots is for such hosts; the others
 * share the rest.
 */
import type { Clock } from '../../ground/clock.ts'

const leasedMax = 1_024
const slowMax = 128
const callsFirst = 4
const callsMax = 96
/** How many claims a host may have for each of its concurrent calls, waiting ones included. */
const aheadTimes = 4
/** A call that lasts longer is slow, in milliseconds. */
const quickMs = 1_000
/** Hosts that are remembered; beyond this number idle ones are dropped. */
const hostsMax = 10_000

interface Host {
  /** Largest number of concurrent calls. */
  max: number
  /** Whether its last call ended quickly. */
  isProven: boolean
  /** Claims for the host, running or waiting. */
  leased: number
  /** When each call that is under way began, oldest first. */
  calls: Set<{ beganMs: number }>
  waiting: Waiting[]
}

type Waiting = (mayCall: boolean) => void

/** One delivery's slot. */
export interface HostSlot {
  /** Resolves when the delivery may call. False means not now, and the caller returns the slot. */
  begin(): Promise<boolean>
  /** Gives the slot back. */
  end(): void
}

export type HostSlots = ReturnType<typeof createHostSlots>

export function createHostSlots(clock: Pick<Clock, 'monotonicMs'>) {
  const hosts = new Map<string, Host>()
  let leased = 0
  let isClosed = false

  const isQuick = ({ isProven, calls }: Host): boolean => {
    const [oldest] = calls
    return isProven && (oldest === undefined || clock.monotonicMs() - oldest.beganMs <= quickMs)
  }
  const leasedBySlow = (): number => {
    let sum = 0
    for (const host of hosts.values()) if (host.leased > 0 && !isQuick(host)) sum += host.leased
    return sum
  }
  const begin = (host: Host, call: { beganMs: number }): Promise<boolean> => {
    if (isClosed) return Promise.resolve(false)
    const start = (): void => {
      call.beganMs = clock.monotonicMs()
      host.calls.add(call)
    }
    if (host.calls.size < host.max) {
      start()
      return Promise.resolve(true)
    }
    return new Promise((resolve) =>
      host.waiting.push((mayCall) => {
        if (mayCall) start()
        resolve(mayCall)
      }),
    )
  }
  const end = (host: Host, call: { beganMs: number }): void => {
    host.leased--
    leased--
    if (!host.calls.delete(call)) return
    host.isProven = clock.monotonicMs() - call.beganMs <= quickMs
    host.max = host.isProven ? Math.min(callsMax, host.max + 1) : 1
    // A host that became slow would keep them waiting past their leases.
    if (!host.isProven) for (const report of host.waiting.splice(0)) report(false)
    while (host.calls.size < host.max && host.waiting.length > 0) host.waiting.shift()?.(true)
  }
  return {
    /** Free slots of a host. */
    free(name: string): number {
      const host = hosts.get(name)
      if (host && isQuick(host))
        return Math.max(0, Math.min(host.max * aheadTimes - host.leased, leasedMax - leased))
      return Math.max(
        0,
        Math.min(
          (host?.max ?? callsFirst) - (host?.leased ?? 0),
          slowMax - leasedBySlow(),
          leasedMax - leased,
        ),
      )
    },
    /** Takes a free one. */
    take(name: string): HostSlot {
      const known = hosts.get(name)
      const host: Host = known ?? {
        max: callsFirst,
        isProven: false,
        leased: 0,
        calls: new Set(),
        waiting: [],
      }
      if (!known && hosts.size >= hostsMax)
        for (const [other, { leased: its }] of hosts) if (its === 0) hosts.delete(other)
      hosts.set(name, host)
      host.leased++
      leased++
      const call = { beganMs: 0 }
      return { begin: () => begin(host, call), end: () => end(host, call) }
    },
    /** Whether a host is not known to be quick: its deliveries need no immediate new turn. */
    isSlow: (name: string): boolean => {
      const host = hosts.get(name)
      return host !== undefined && !isQuick(host)
    },
    leased: (): number => leased,
    /** Cancels the waiting deliveries. */
    close(): void {
      isClosed = true
      for (const { waiting } of hosts.values())
        for (const report of waiting.splice(0)) report(false)
    },
  }
}
