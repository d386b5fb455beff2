/**
 * Counts the connections of each network to a port for mail, and says which ones end when others
 * need their place. Each process has its own counts, which protect it alone.
 */
import type { Clock } from '../ground/clock.ts'
import { networkOf } from './network-of.ts'

export interface ConnectionBounds {
  /** Of one network. */
  connectionsMax: number
  /** Of all networks together. */
  clientsMax: number
}

/**
 * A mail may take longer while nobody needs its connection or its memory: any mail server sends 5
 * MB sooner.
 */
const mailMs = 30_000

interface Counted {
  network: string
  /** Since when the bytes of a mail come; `whole`: all came, and the reply is awaited. */
  taking: number | 'whole' | null
}

export function createConnectionCounts(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  { connectionsMax, clientsMax }: ConnectionBounds,
) {
  /** The oldest first. */
  const sessions = new Map<string, Counted>()
  const open = new Map<string, number>()
  const close = (session: string): void => {
    const { network } = sessions.get(session) ?? {}
    if (network === undefined) return
    sessions.delete(session)
    const left = (open.get(network) ?? 1) - 1
    if (left > 0) open.set(network, left)
    else open.delete(network)
  }
  const isOverdue = ({ taking }: Counted): boolean =>
    typeof taking === 'number' && monotonicMs() - taking >= mailMs
  const endOverdue = (): string[] => {
    const ended = [...sessions].flatMap(([session, counted]) =>
      isOverdue(counted) ? [session] : [],
    )
    ended.forEach(close)
    return ended
  }
  /** Ends sessions for one more of a network; none while this network has the most of them. */
  const makeRoom = (network: string): string[] => {
    const max = Math.max(...open.values())
    if ((open.get(network) ?? 0) + 1 > max) return []
    const candidates = [...sessions].filter(
      ([, counted]) => open.get(counted.network) === max && counted.taking !== 'whole',
    )
    const idle = candidates.find(([, { taking }]) => taking === null)
    // One mail of each network stays for its time; of many, the one that has taken longest goes.
    const [ended] = idle ?? (max > 1 ? candidates[0] : undefined) ?? []
    if (ended === undefined) return endOverdue()
    close(ended)
    return [ended]
  }
  return {
    /** Null means one connection more is too many. `ends`: the sessions that have to end for it. */
    open(session: string, address: string): { ends: string[] } | null {
      const network = networkOf(address)
      const count = open.get(network) ?? 0
      if (count >= connectionsMax) return null
      const ends = sessions.size < clientsMax ? [] : makeRoom(network)
      if (sessions.size >= clientsMax) return null
      open.set(network, (open.get(network) ?? 0) + 1)
      sessions.set(session, { network, taking: null })
      return { ends }
    },
    close,
    /** Marks a session that sends a mail: idle ones end before it. */
    markTaking(session: string, isTaking: boolean): void {
      const counted = sessions.get(session)
      if (counted) counted.taking = isTaking ? monotonicMs() : null
    },
    /** Marks a session whose mail came whole: it stays until its reply, or the mail comes twice. */
    markWhole(session: string): void {
      const counted = sessions.get(session)
      if (counted) counted.taking = 'whole'
    },
    /** The sessions that have to end where memory is missing: their mails took their time. */
    endOverdue,
  }
}
