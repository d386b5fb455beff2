/**
 * How many calls may be under way, in all and to each host, so that a receiver that is slow or away delays only itself.
 *
 * A host begins with a few places, gets one more with each quick end of a call, whatever the answer, and one that is slow keeps a
 * single one. Half of all places is for hosts that are known to be quick; the others share the rest.
 */
import type { Clock } from '../../clock.ts'

const placesMax = 256
const hostFirst = 4
const hostMax = 128
/** A call that lasts longer is slow, in milliseconds. */
const quickMs = 1_000
/** Hosts that are remembered, and asked for seldom, before those at rest are forgotten. */
const hostsMax = 10_000

interface Host {
  /** Calls that may be under way. */
  most: number
  /** Since its last call ended quickly. */
  isProven: boolean
  /** When each that is under way began, oldest first. */
  calls: Set<{ beganMs: number }>
}

export interface HostPlaces {
  /** Places that are free for a host now. */
  free(host: string): number
  /** Takes one that is free; the answer gives it back, once. */
  take(host: string): () => void
  /** Whether a host is not known to be quick: whoever waits for it need not look again at once. */
  isSlow(host: string): boolean
  underWay(): number
}

export function createHostPlaces(clock: Pick<Clock, 'monotonicMs'>): HostPlaces {
  const hosts = new Map<string, Host>()
  let taken = 0

  const isQuick = ({ isProven, calls }: Host): boolean => {
    const [oldest] = calls
    return isProven && (oldest === undefined || clock.monotonicMs() - oldest.beganMs <= quickMs)
  }
  const takenBySlow = (): number => {
    let sum = 0
    for (const host of hosts.values()) if (host.calls.size > 0 && !isQuick(host)) sum += host.calls.size
    return sum
  }
  return {
    free(name) {
      const host = hosts.get(name)
      const left = Math.min((host?.most ?? hostFirst) - (host?.calls.size ?? 0), placesMax - taken)
      return Math.max(0, host && isQuick(host) ? left : Math.min(left, placesMax / 2 - takenBySlow()))
    },
    take(name) {
      const host = hosts.get(name) ?? { most: hostFirst, isProven: false, calls: new Set() }
      hosts.set(name, host)
      const call = { beganMs: clock.monotonicMs() }
      host.calls.add(call)
      taken++
      return () => {
        if (!host.calls.delete(call)) return
        taken--
        host.isProven = clock.monotonicMs() - call.beganMs <= quickMs
        host.most = host.isProven ? Math.min(hostMax, host.most + 1) : 1
        if (hosts.size > hostsMax) for (const [other, { calls }] of hosts) if (calls.size === 0) hosts.delete(other)
      }
    },
    isSlow: (name) => {
      const host = hosts.get(name)
      return host !== undefined && !isQuick(host)
    },
    underWay: () => taken,
  }
}
