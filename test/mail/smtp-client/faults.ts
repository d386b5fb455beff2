/** How a scripted peer does what a row of the phase table asks. */
import { systemClock, type Clock } from '../../../src/ground/clock.ts'
import type { Behaviour, PeerPhase, ScriptedPeer } from '../../support/scripted-peer.ts'
import { patienceMs, type Fault, type FaultyPhase } from './phase-table.ts'

/**
 * Time passes only while the newest connection hangs: no other answer is late, however busy the
 * machine.
 */
export function clockOfHangs({ requests }: ScriptedPeer): Clock {
  let passedMs = 0
  return {
    ...systemClock,
    monotonicMs: () => (requests.at(-1)?.hangs ? (passedMs += patienceMs) : passedMs),
  }
}

export const behaviours: Record<Fault, (phase: FaultyPhase) => Behaviour> = {
  '4xx': () => '451 4.3.0 try again later',
  '5xx': (phase) => (phase === 'auth' ? '535 5.7.8 wrong' : '554-5.3.0 no\n554 5.3.0 never'),
  '421': () => '421 4.3.2 closing',
  drop: () => 'drop',
  hang: () => 'hang',
  garbage: () => 'HTTP/1.1 400 Bad Request',
}

export const peerPhases: Record<FaultyPhase, PeerPhase> = {
  greet: 'greet',
  ehlo: 'ehlo',
  tls: 'starttls',
  auth: 'auth',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  content: 'content',
  dot: 'dot',
}
