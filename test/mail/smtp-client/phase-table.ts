/**
 * The one table: every phase × every way to go wrong → what the client must say of the envelope.
 * Peers of several kinds are put to it.
 */
import assert from 'node:assert/strict'
import { systemClock } from '../../../src/ground/clock.ts'
import type { SmtpEnvelope, SmtpLease, SmtpOutcome } from '../../../src/mail/smtp-client/outcome.ts'
import type { SmtpPhase } from '../../../src/mail/smtp-client/phase.ts'
import {
  createSmtpClient,
  type SmtpClientOptions,
} from '../../../src/mail/smtp-client/smtp-client.ts'
import type { SmtpPool } from '../../../src/mail/smtp-client/pool.ts'
import { rfcTimeouts, type Timeouts } from '../../../src/mail/smtp-client/timeouts.ts'

export type FaultyPhase =
  | 'greet'
  | 'ehlo'
  | 'tls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'content'
  | 'dot'
export type Fault = '4xx' | '5xx' | '421' | 'drop' | 'hang' | 'garbage'

export interface Row {
  phase: FaultyPhase
  fault: Fault
  kind: SmtpOutcome['kind']
  /** Where the outcome says that it happened; none when it was accepted. */
  at?: SmtpPhase
}

const faults: Fault[] = ['4xx', '5xx', '421', 'drop', 'hang', 'garbage']

function rowsOf(
  phase: FaultyPhase,
  at: SmtpPhase,
  kinds: Partial<Record<Fault, SmtpOutcome['kind']>>,
): Row[] {
  return faults.map((fault) => ({ phase, fault, kind: kinds[fault] ?? 'deferred', at }))
}

/** Before MAIL all concerns the relay: always deferred. After the dot only a real reply counts. */
export const phaseTable: readonly Row[] = [
  ...rowsOf('greet', 'greet', {}),
  // A 5xx to EHLO is a server of the old school: HELO, and the mail goes (RFC 5321 3.2).
  ...rowsOf('ehlo', 'ehlo', { '5xx': 'accepted' }),
  ...rowsOf('tls', 'tls', {}),
  ...rowsOf('auth', 'auth', {}),
  ...rowsOf('mail', 'mail', { '5xx': 'refused' }),
  ...rowsOf('rcpt', 'rcpt', { '5xx': 'refused' }),
  ...rowsOf('data', 'data', { '5xx': 'refused' }),
  ...rowsOf('content', 'data', { '5xx': 'refused' }),
  ...rowsOf('dot', 'replied', { '5xx': 'refused' }).map((row) =>
    row.fault === 'drop' || row.fault === 'hang' || row.fault === 'garbage'
      ? { ...row, kind: 'in_doubt' as const, at: 'dot' as const }
      : row,
  ),
]

export function titleOf(row: Row): string {
  return `${row.fault} at ${row.phase}: ${row.kind}${row.kind === 'accepted' ? '' : `, phase ${row.at}`}`
}

export function assertRow(outcome: SmtpOutcome, row: Row): void {
  assert.equal(outcome.kind, row.kind, JSON.stringify(outcome))
  if (outcome.kind === 'accepted' || outcome.kind === 'returned') return
  assert.equal(outcome.phase, row.at)
  if (outcome.kind === 'in_doubt') return
  const isReply = row.fault === '4xx' || row.fault === '5xx' || row.fault === '421'
  assert.equal(outcome.code === null, !isReply, JSON.stringify(outcome))
  if (outcome.kind === 'refused')
    assert.notEqual(outcome.reason, 'hard', 'none of these texts speaks of the address')
}

export const freeLease: SmtpLease = { mayProceed: () => true, mayPassDot: () => true }

export function envelopeTo(
  recipient: string,
  bytes = Buffer.from('Subject: a test\r\n\r\nHello\r\n'),
): SmtpEnvelope {
  return {
    reference: `test/${recipient}`,
    returnPath: 'bounces@demo.test',
    recipient,
    bytes,
    utf8: false,
  }
}

/** More than the system's buffers hold, so that a peer can really be in the middle of it. */
export const largeBytes = Buffer.from(
  `Subject: large\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(320_000)}`,
)

/** Longer than a test may take: only the time limit that a test sets ends anything. */
const noHurryMs = 3_600_000
const noHurry = Object.fromEntries(Object.keys(rfcTimeouts).map((phase) => [phase, noHurryMs]))

/** For how long the client waits in a row that hangs. */
export const patienceMs = 20

/** The timeout that ends each phase when the peer hangs in it. */
const timeoutOf: Record<FaultyPhase, keyof Timeouts> = {
  greet: 'greet',
  ehlo: 'ehlo',
  tls: 'ehlo',
  auth: 'ehlo',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  content: 'block',
  dot: 'dot',
}

/** Short patience where the row hangs. */
export function patienceFor(row: Row): Partial<Timeouts> {
  return row.fault === 'hang' ? { [timeoutOf[row.phase]]: patienceMs } : {}
}

/** A client with one connection that does not leave a failed relay alone. */
export function clientFor(port: number, options: Partial<SmtpClientOptions> = {}): SmtpPool {
  return createSmtpClient({
    relay: { host: '127.0.0.1', port, tls: 'starttls' },
    clock: systemClock,
    connections: 1,
    backoffMs: { first: 0, max: 0 },
    waitMs: noHurryMs,
    ...options,
    timeouts: { ...noHurry, quit: 400, ...options.timeouts },
  })
}
