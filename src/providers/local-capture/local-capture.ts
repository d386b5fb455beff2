/**
 * The capture mailbox: no mail leaves; it is stored in the database with its outcome, and
 * simulators play the recipients.
 */
import type { Envelope, Lease, Outcome, Provider } from '../provider.ts'
import { waitAtMost, type Clock } from '../../ground/clock.ts'

/**
 * The outcomes of `<word>@simulator.test`; `+anything` may follow the word. Every other address is
 * delivered.
 */
export const simulators = [
  'delivered',
  'bounced',
  'complained',
  'failed',
  'deferred',
  'refused',
  'slow',
] as const
export type Simulator = (typeof simulators)[number]

const slowMs = 5000
/** How many temporary refusals `deferred` gives before it accepts. */
const deferralsMax = 2
const concurrentMax = 256

export function createLocalCapture(clock: Clock): Provider {
  const concurrent = new Set<Promise<Outcome>>()
  const dropping = new AbortController()
  let closed = false

  return {
    name: 'local-capture',
    captures: true,
    reportsDelivery: true,
    // These two answer the caller; every other mail is accepted by the commit itself.
    inline: (recipient) => ['refused', 'slow'].includes(simulatorOf(recipient) ?? ''),
    free: () => (closed ? 0 : concurrentMax - concurrent.size),
    async handOff(envelope, lease) {
      if (closed) return { kind: 'returned', why: 'the provider is closing' }
      const answered = answer(clock, dropping.signal, envelope, lease)
      concurrent.add(answered)
      try {
        return await answered
      } finally {
        concurrent.delete(answered)
      }
    },
    async close(withinMs) {
      closed = true
      await waitAtMost(clock, withinMs, Promise.all(concurrent))
      dropping.abort()
      await Promise.all(concurrent)
    },
  }
}

async function answer(
  clock: Clock,
  dropping: AbortSignal,
  envelope: Envelope,
  lease: Lease,
): Promise<Outcome> {
  const simulator = simulatorOf(envelope.recipient)
  if (simulator === 'refused') {
    return {
      kind: 'refused',
      reason: 'other',
      phase: 'rcpt',
      code: 550,
      response: '550 5.0.0 simulated refusal',
    }
  }
  if (simulator === 'deferred' && envelope.attempt <= deferralsMax) {
    return {
      kind: 'deferred',
      phase: 'rcpt',
      code: 451,
      response: '451 4.0.0 simulated temporary refusal',
    }
  }
  if (simulator === 'slow') await clock.sleep(slowMs, dropping).catch(() => undefined)
  if (dropping.aborted) return { kind: 'returned', why: 'the provider is closing' }
  if (!lease.mayProceed()) return { kind: 'returned', why: 'the lease is nearly over' }
  return {
    kind: 'accepted',
    response: '250 2.0.0 captured',
    copy: { raw: envelope.bytes, pending: pendingOf(simulator) },
  }
}

function simulatorOf(recipient: string): Simulator | null {
  const [, word] = /^([^+@]+)(?:\+[^@]*)?@simulator\.test$/i.exec(recipient) ?? []
  return simulators.find((name) => name === word?.toLowerCase()) ?? null
}

function pendingOf(simulator: Simulator | null): 'delivered' | 'bounced' | 'complained' | 'failed' {
  return simulator === 'bounced' || simulator === 'complained' || simulator === 'failed'
    ? simulator
    : 'delivered'
}
