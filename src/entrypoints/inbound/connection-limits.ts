/**
 * Limits how much one network, and all of them together, may ask of the inbound port. Each process
 * has its own limits, which protect it alone.
 */
import type { Clock } from '../../ground/clock.ts'
import { networkOf } from '../../core/network-of.ts'
import { setLast } from '../../ground/set-last.ts'

export type ConnectionLimits = ReturnType<typeof createConnectionLimits>

/** A relay sends its notices over as many connections at once as Postfix does by default. */
const connectionsMax = 20
/** Of all networks together. */
const clientsMax = 100
const mailsPerMinute = 6_000
const bytesMax = 64_000_000
/**
 * A mail may take longer while nobody needs its connection or its memory: any mail server sends 5
 * MB sooner.
 */
const mailMs = 30_000
/** Limit of the addresses in memory. */
const addressesMax = 10_000

export function createConnectionLimits({ monotonicMs }: Pick<Clock, 'monotonicMs'>) {
  /** The oldest first. */
  const sessions = new Map<string, { network: string; takingSinceMs: number | null }>()
  const open = new Map<string, number>()
  const minutes = new Map<string, { endsAtMs: number; mails: number }>()
  const memory = new Map<string, number>()
  let held = 0
  const close = (session: string): void => {
    const { network } = sessions.get(session) ?? {}
    if (network === undefined) return
    sessions.delete(session)
    const left = (open.get(network) ?? 1) - 1
    if (left > 0) open.set(network, left)
    else open.delete(network)
  }
  const isOverdue = ({ takingSinceMs }: { takingSinceMs: number | null }): boolean =>
    takingSinceMs !== null && monotonicMs() - takingSinceMs >= mailMs
  const endOverdue = (): string[] => {
    const ended = [...sessions].flatMap(([session, one]) => (isOverdue(one) ? [session] : []))
    ended.forEach(close)
    return ended
  }
  /** Ends sessions for one more of a network; none while this network has the most of them. */
  const makeRoom = (network: string): string[] => {
    const max = Math.max(...open.values())
    if ((open.get(network) ?? 0) + 1 > max) return []
    const candidates = [...sessions].filter(([, one]) => open.get(one.network) === max)
    const idle = candidates.find(([, { takingSinceMs }]) => takingSinceMs === null)
    // One mail of each network stays for its time; of many, the one that has taken longest goes.
    const [ended] = idle ?? (max > 1 ? candidates[0] : undefined) ?? []
    if (ended === undefined) return endOverdue()
    close(ended)
    return [ended]
  }
  return {
    /** Null: one connection more is too many. `ends`: the sessions that have to end for it. */
    open(session: string, address: string): { ends: string[] } | null {
      const network = networkAt(address)
      const count = open.get(network) ?? 0
      if (count >= connectionsMax) return null
      const ends = sessions.size < clientsMax ? [] : makeRoom(network)
      if (sessions.size >= clientsMax) return null
      open.set(network, (open.get(network) ?? 0) + 1)
      sessions.set(session, { network, takingSinceMs: null })
      return { ends }
    },
    close,
    /** Marks a session that sends a mail: idle ones end before it. */
    markTaking(session: string, isTaking: boolean): void {
      const found = sessions.get(session)
      if (found) found.takingSinceMs = isTaking ? monotonicMs() : null
    },
    /** The sessions that have to end where memory is missing: their mails took their time. */
    endOverdue,
    /** Whether the rate limit of this address allows another mail now. */
    takeMail(address: string): boolean {
      const network = networkAt(address)
      const now = monotonicMs()
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
      const network = networkAt(address)
      const change = (bytes: number): void => {
        held += bytes
        const own = (memory.get(network) ?? 0) + bytes
        if (own > 0) memory.set(network, own)
        else memory.delete(network)
      }
      return {
        hold(bytes) {
          if ((memory.get(network) ?? 0) + bytes > (bytesMax - held - bytes) / 2) return false
          change(bytes)
          return true
        },
        release: (bytes) => change(-bytes),
      }
    },
  }
}

/** An IPv4 address is its own network. */
const networkAt = (address: string): string =>
  address.includes(':') ? networkOf(address) : address

export interface MailMemory {
  hold(bytes: number): boolean
  release(bytes: number): void
}
