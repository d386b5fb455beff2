/**
 * How many calls may be under way, in all and to each host, so that a receiver that is slow or away delays only itself.
 *
 * A host begins with a few calls at once, gets one more with each quick end of a call, whatever the answer, and one that is slow
 * keeps a single one. A host that is known to be quick may have some more claimed ahead, which wait here: what they share
 * statements with is more. Half of all places is for such hosts; the others share the rest.
 */
import type { Clock } from '../../clock.ts'

const heldMax = 1_024
const slowMax = 128
const callsFirst = 4
const callsMax = 96
/** For each call that may be under way: how many may be held, waiting ones included. */
const aheadTimes = 4
/** A call that lasts longer is slow, in milliseconds. */
const quickMs = 1_000
/** Hosts that are remembered before those at rest are forgotten. */
const hostsMax = 10_000

interface Host {
  /** Calls that may be under way. */
  most: number
  /** Since its last call ended quickly. */
  isProven: boolean
  /** Claimed for it, called or waiting. */
  held: number
  /** When each call that is under way began, oldest first. */
  calls: Set<{ beganMs: number }>
  waiting: Waiting[]
}

type Waiting = (mayCall: boolean) => void

/** One delivery's place. */
export interface HostPlace {
  /** Resolves when it may call; false: not now, it is to be given back. */
  begin(): Promise<boolean>
  /** Gives the place back. */
  end(): void
}

export interface HostSlots {
  /** Places that are free for a host now. */
  free(host: string): number
  /** Takes one that is free. */
  take(host: string): HostPlace
  /** Whether a host is not known to be quick: whoever waits for it need not look again at once. */
  isSlow(host: string): boolean
  held(): number
  /** Those who wait do not call any more. */
  close(): void
}

export function createHostSlots(clock: Pick<Clock, 'monotonicMs'>): HostSlots {
  const hosts = new Map<string, Host>()
  let held = 0
  let isClosed = false

  const isQuick = ({ isProven, calls }: Host): boolean => {
    const [oldest] = calls
    return isProven && (oldest === undefined || clock.monotonicMs() - oldest.beganMs <= quickMs)
  }
  const heldBySlow = (): number => {
    let sum = 0
    for (const host of hosts.values()) if (host.held > 0 && !isQuick(host)) sum += host.held
    return sum
  }
  const begin = (host: Host, call: { beganMs: number }): Promise<boolean> => {
    if (isClosed) return Promise.resolve(false)
    const start = (): void => {
      call.beganMs = clock.monotonicMs()
      host.calls.add(call)
    }
    if (host.calls.size < host.most) {
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
    host.held--
    held--
    if (!host.calls.delete(call)) return
    host.isProven = clock.monotonicMs() - call.beganMs <= quickMs
    host.most = host.isProven ? Math.min(callsMax, host.most + 1) : 1
    // A host that turned out slow would keep them past their leases.
    if (!host.isProven) for (const tell of host.waiting.splice(0)) tell(false)
    while (host.calls.size < host.most && host.waiting.length > 0) host.waiting.shift()?.(true)
  }
  return {
    free(name) {
      const host = hosts.get(name)
      if (host && isQuick(host)) return Math.max(0, Math.min(host.most * aheadTimes - host.held, heldMax - held))
      return Math.max(0, Math.min((host?.most ?? callsFirst) - (host?.held ?? 0), slowMax - heldBySlow(), heldMax - held))
    },
    take(name) {
      const known = hosts.get(name)
      const host = known ?? { most: callsFirst, isProven: false, held: 0, calls: new Set(), waiting: [] }
      if (!known && hosts.size >= hostsMax) for (const [other, { held: its }] of hosts) if (its === 0) hosts.delete(other)
      hosts.set(name, host)
      host.held++
      held++
      const call = { beganMs: 0 }
      return { begin: () => begin(host, call), end: () => end(host, call) }
    },
    isSlow: (name) => {
      const host = hosts.get(name)
      return host !== undefined && !isQuick(host)
    },
    held: () => held,
    close() {
      isClosed = true
      for (const { waiting } of hosts.values()) for (const tell of waiting.splice(0)) tell(false)
    },
  }
}
