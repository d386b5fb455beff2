/**
 * Limits how much one network, and all of them together, may ask of the inbound port. Each process has its own
 * limits, which protect it alone.
 */
import type { Clock } from '../../clock.ts'
import { networkOf } from '../../core/network-of.ts'
import { setLast } from '../../set-last.ts'

export type ConnectionLimits = ReturnType<typeof createConnectionLimits>

/** A relay sends its notices over as many connections at once as Postfix does by default. */
const connectionsMax = 20
const mailsPerMinute = 6_000
const bytesMax = 64_000_000
/** Limit of the addresses in memory. */
const addressesMax = 10_000

export function createConnectionLimits({ monotonicMs }: Pick<Clock, 'monotonicMs'>) {
  const sessions = new Map<string, string>()
  const open = new Map<string, number>()
  const minutes = new Map<string, { endsAtMs: number; mails: number }>()
  let held = 0
  return {
    /** False: this address has its maximum of open connections. */
    open(session: string, address: string): boolean {
      const network = networkOf(address)
      const count = open.get(network) ?? 0
      if (count >= connectionsMax) return false
      open.set(network, count + 1)
      sessions.set(session, network)
      return true
    },
    close(session: string): void {
      const network = sessions.get(session)
      if (network === undefined) return
      sessions.delete(session)
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    },
    /** Whether the rate limit of this address allows another mail now. */
    takeMail(address: string): boolean {
      const network = networkOf(address)
      const now = monotonicMs()
      const known = minutes.get(network)
      const minute = known && known.endsAtMs > now ? known : { endsAtMs: now + 60_000, mails: 0 }
      setLast(minutes, network, minute, addressesMax)
      return ++minute.mails <= mailsPerMinute
    },
    /** Reserves memory for that many more bytes, if the limit allows; `release` releases it. */
    hold(bytes: number): boolean {
      if (held + bytes > bytesMax) return false
      held += bytes
      return true
    },
    release: (bytes: number): void => void (held -= bytes),
  }
}
