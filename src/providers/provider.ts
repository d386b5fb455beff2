/**
 * The interface of providers: how one envelope leaves, and its possible outcomes. Code above asks a
 * provider for its capabilities (`captures`, `reportsDelivery`, `dialsHosts`), never for its name.
 */
import type { ProviderName } from '../ground/provider-names.ts'
import type { SmtpEnvelope, SmtpLease as Lease } from '../mail/smtp-client/outcome.ts'
import type { SmtpPhase as Phase } from '../mail/smtp-client/phase.ts'

/** One message for exactly one recipient. A bounce of it can therefore name only one address. */
export interface Envelope extends SmtpEnvelope {
  /** The workspace of the mail: it may have a provider and keys of its own. */
  workspaceId: number
  /** 1 at the first try; each claim of the row counts one. */
  attempt: number
  /** The domain of the From header, as A-label: who answers for the mail. */
  fromDomain: string
}

export type { Lease, Phase }

/**
 * The capture mailbox's copy, written in the transaction that records the outcome, and its pending
 * feedback.
 */
export interface CapturedCopy {
  raw: Buffer
  pending: 'delivered' | 'bounced' | 'complained' | 'failed'
}

/**
 * The outcome of a hand-off. Expected refusals are values, never exceptions (style 8).
 * - `hard`: the address does not exist (5.1.x, mailbox unknown): it bounces and is suppressed.
 * - `policy`: refused for content, reputation or authentication (5.7.x): never suppresses.
 * - `other`: any other permanent refusal.
 *
 * `slower`: whether a deferral concerns all mail of this provider, whose rate is then lowered.
 * Absent means decided by the SMTP reply.
 *
 * `postponed`: not begun, because the destination takes no more for now; other mail may go. The
 * queue hands it over again after `afterMs` and counts no attempt; its lifetime goes on.
 * `response`: the destination's last reply, if that is the reason.
 */
export type Outcome =
  | { kind: 'accepted'; response: string; copy?: CapturedCopy }
  | {
      kind: 'refused'
      reason: 'hard' | 'policy' | 'other'
      phase: Phase
      code: number | null
      response: string
    }
  | { kind: 'deferred'; phase: Phase; code: number | null; response: string; slower?: boolean }
  | { kind: 'in_doubt'; phase: Phase; response: string }
  | { kind: 'postponed'; afterMs: number; response: string | null }
  | { kind: 'returned'; why: string }

/**
 * Puts the sending domain's signatures in front of an envelope's mail; as it was where the domain
 * has no keys. A mail that cannot be signed now is deferred, and does not leave unsigned.
 */
export type Sign = (envelope: Envelope) => Promise<Envelope | Outcome>

export interface Provider {
  name: ProviderName | 'unusable'
  /** Whether mail stays in the capture mailbox and none leaves; such a provider has no rate. */
  captures: boolean
  /**
   * Whether to hand an envelope over inside the API request: true for every recipient of a relay.
   * The capture mailbox accepts by the commit, and says true only for its simulators that refuse or
   * are slow.
   */
  inline(recipient: string): boolean
  /** How many envelopes can leave at once, now. A claim is never larger. */
  free(): number
  /** Hands one envelope over. Never rejects for anything a peer can do. */
  handOff(envelope: Envelope, lease: Lease): Promise<Outcome>
  /**
   * Whether feedback of a delivery will come (capture, SES); when not, silence becomes `delivered`
   * after a while.
   */
  reportsDelivery: boolean
  /** Lets hand-offs in flight end, up to `withinMs`, then drops them; each gets its own Outcome. */
  close(withinMs: number): Promise<void>
}
