/**
 * Limits how much one network, and all of them together, may ask of the inbound port. Each process has its own
 * limits, which protect it alone.
 */
import type { Clock } from '../../clock.ts'
import { networkOf } from '../../core/network-of.ts'

export interface ConnectionLimits {
  /** False: this address has its maximum of open connections. */
  open(session: string, address: string): boolean
  close(session: string): void
  /** Whether the rate limit of this address allows another mail now. */
  takeMail(address: string): boolean
  /** Reserves memory for that many more bytes, if the limit allows; `letGo` releases it. */
  hold(octets: number): boolean
  letGo(octets: number): void
}

/** A relay sends its notices over as many connections at once as Postfix does by default. */
const connectionsMax = 20
const mailsPerMinute = 6_000
const bytesMax = 64_000_000
/** Limit of the addresses in memory. */
const addressesMax = 10_000

export function createConnectionLimits({ monotonicMs }: Pick<Clock, 'monotonicMs'>): ConnectionLimits {
  const sessions = new Map<string, string>()
  const open = new Map<string, number>()
  const minutes = new Map<string, { endsAtMs: number; mails: number }>()
  let held = 0
  return {
    open(session, address) {
      const network = networkOf(address)
      const count = open.get(network) ?? 0
      if (count >= connectionsMax) return false
      open.set(network, count + 1)
      sessions.set(session, network)
      return true
    },
    close(session) {
      const network = sessions.get(session)
      if (network === undefined) return
      sessions.delete(session)
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    },
    takeMail(address) {
      const network = networkOf(address)
      const now = monotonicMs()
      const known = minutes.get(network)
      const minute = known && known.endsAtMs > now ? known : { endsAtMs: now + 60_000, mails: 0 }
      minutes.delete(network)
      minutes.set(network, minute)
      const [oldest] = minutes.keys()
      if (minutes.size > addressesMax && oldest !== undefined) minutes.delete(oldest)
      return ++minute.mails <= mailsPerMinute
    },
    hold(octets) {
      if (held + octets > bytesMax) return false
      held += octets
      return true
    },
    letGo: (octets) => void (held -= octets),
  }
}
