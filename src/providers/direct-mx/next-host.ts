/**
 * Hands an envelope to another host of its route, after one refused MAIL or RCPT for now (RFC 5321
 * 5.1). Nothing of the content has left by then, so no mail is doubled. One more connection is
 * tried, as Postfix does.
 *
 * A refusal about the mailbox, and one that asks for a slower pace, hold for all hosts of the
 * receiver.
 */
import { limitsSender } from '../../mail/smtp-client/keeps-pace.ts'
import type { Opened } from '../../mail/smtp-client/open-session.ts'
import type { SmtpEnvelope, SmtpLease, SmtpOutcome } from '../../mail/smtp-client/outcome.ts'
import { openingPhases } from '../../mail/smtp-client/phase.ts'
import { createSmtpPool, type SmtpPool, type SmtpPoolOptions } from '../../mail/smtp-client/pool.ts'
import type { MailHost } from './find-route.ts'

export type Deferral = Extract<SmtpOutcome, { kind: 'deferred' }>

/** The other hosts. Empty if the refusal stands. */
export function nextHosts(
  tiers: MailHost[][],
  { phase, code, response, peer }: Deferral,
): MailHost[][] {
  if (peer === undefined || code === null || code >= 500 || (phase !== 'mail' && phase !== 'rcpt'))
    return []
  // RFC 3463 3.3: the mailbox. A 421 alone says that this host closes (RFC 5321 3.8).
  if (/^\d{3}[ -]4\.2\./.test(response) || limitsSender({ code: 450, response })) return []
  return tiers
    .map((tier) => tier.filter(({ name }) => name !== peer))
    .filter((tier) => tier.length > 0)
}

/** Connections for such envelopes, one each. */
export class NextHost {
  readonly #options: Pick<SmtpPoolOptions, 'clock' | 'timeouts'>
  readonly #open = new Set<SmtpPool>()

  constructor(options: Pick<SmtpPoolOptions, 'clock' | 'timeouts'>) {
    this.#options = options
  }

  /** How many are open. */
  get connected(): number {
    return this.#open.size
  }

  /** `open`: connects to one of the other hosts. Answers `refused` where none can be reached. */
  async handOff(
    refused: Deferral,
    {
      envelope,
      lease,
      open,
    }: { envelope: SmtpEnvelope; lease: SmtpLease; open: (signal: AbortSignal) => Promise<Opened> },
  ): Promise<SmtpOutcome> {
    const pool = createSmtpPool({
      ...this.#options,
      open,
      connections: () => 1,
      backoffMs: { first: 0, max: 0 },
    })
    this.#open.add(pool)
    try {
      const outcome = await pool.handOff(envelope, lease)
      // Hosts that cannot be reached say less than the one that answered.
      return outcome.kind === 'deferred' && openingPhases.has(outcome.phase) ? refused : outcome
    } finally {
      void pool.close(0).then(() => this.#open.delete(pool))
    }
  }

  async close(withinMs: number): Promise<void> {
    await Promise.all([...this.#open].map((pool) => pool.close(withinMs)))
  }
}
