/**
 * Limits how much one network, and all of them together, may ask of the inbound port. Each process
 * has its own limits, which protect it alone.
 */
import type { Clock } from '../../ground/clock.ts'
import { createConnectionCounts } from '../../core/connection-counts.ts'
import { networkOf } from '../../core/network-of.ts'
import { setLast } from '../../ground/set-last.ts'
import type { MailMemory } from '../../mail/smtp-server/read-incoming-mail.ts'

export type ConnectionLimits = ReturnType<typeof createConnectionLimits>

/** A relay sends its notices over as many connections at once as Postfix does by default. */
const bounds = { connectionsMax: 20, clientsMax: 100 }
const mailsPerMinute = 6_000
const bytesMax = 64_000_000
/** Limit of the addresses in memory. */
const addressesMax = 10_000

export function createConnectionLimits(clock: Pick<Clock, 'monotonicMs'>) {
  const minutes = new Map<string, { endsAtMs: number; mails: number }>()
  const memory = new Map<string, number>()
  let retained = 0
  return {
    ...createConnectionCounts(clock, bounds),
    /** Whether the rate limit of this address allows another mail now. */
    takeMail(address: string): boolean {
      const network = networkOf(address)
      const now = clock.monotonicMs()
      const known = minutes.get(network)
      const minute = known && known.endsAtMs > now ? known : { endsAtMs: now + 60_000, mails: 0 }
      if (minute !== known) setLast(minutes, network, minute, addressesMax)
      return ++minute.mails <= mailsPerMinute
    },
    /**
     * The memory of one network: at most as much as half of what then stays free, so that there is
     * room for others. `hold` reserves that many more bytes, if the limit allows; `release`
     * releases them.
     */
    memoryOf(address: string): MailMemory {
      const network = networkOf(address)
      const change = (bytes: number): void => {
        retained += bytes
        const own = (memory.get(network) ?? 0) + bytes
        if (own > 0) memory.set(network, own)
        else memory.delete(network)
      }
      return {
        retain(bytes) {
          if ((memory.get(network) ?? 0) + bytes > (bytesMax - retained - bytes) / 2) return false
          change(bytes)
          return true
        },
        release: (bytes) => change(-bytes),
      }
    },
  }
}
