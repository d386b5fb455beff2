/**
 * The interface of providers: how one envelope leaves, and its possible outcomes. All code above this file is the
 * same for every provider.
 */
import type { ProviderName } from '../contract/provider-names.ts'

/** One message for exactly one recipient. A bounce of it can therefore name only one address. */
export interface Envelope {
  /** The workspace of the mail: it may have a provider and keys of its own. */
  workspaceId: number
  /** `<message id>/<position>`, for logs and a provider's own tags. */
  reference: string
  /** 1 at the first try; each claim of the row counts one. */
  attempt: number
  /** MAIL FROM (RFC 5321 4.1.1.2). */
  returnPath: string
  /**
   * The notices to ask the next server for (RFC 3461 4.1): `all`, or `trouble` alone. Absent: none, since they do not
   * come to us; a peer does as by default.
   */
  notify?: 'all' | 'trouble'
  /** The domain of the From header, as A-label: who answers for the mail. */
  fromDomain: string
  /** RCPT TO: `local@a-label`. */
  recipient: string
  /** The whole message, CRLF line ends, without dot-stuffing. */
  bytes: Buffer
  /** Whether the headers or the envelope hold non-ASCII addresses, so that the peer must offer SMTPUTF8 (RFC 6531). */
  utf8: boolean
  /** Of a campaign: mail that a caller waits for goes before it. */
  bulk?: boolean
}

/** How far an SMTP conversation went. Only `dot` without a reply leaves doubt. */
export type Phase = 'dial' | 'greet' | 'ehlo' | 'tls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot' | 'replied'

/** The holder's lease, asked by the provider before each step that cannot be taken back. */
export interface Lease {
  /** False when too little is left of the lease to begin MAIL or the content: drop the connection, answer `returned`. */
  mayProceed(): boolean
  /**
   * Asked once, right before the step that cannot be taken back: the final dot, or the call that hands the mail over. From then on
   * the mail may have left. False: do not take it, answer `returned`. Never rejects.
   */
  mayPassDot(): boolean | Promise<boolean>
}

/** The capture mailbox's copy, written in the transaction that records the outcome, and its pending feedback. */
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
 * `slower`: whether a deferral concerns all mail of this provider, whose rate is then lowered. Absent: decided by the SMTP reply.
 *
 * `postponed`: not begun, because where it goes to takes no more for now, and others may go meanwhile. It is handed over again
 * after `afterMs`, no attempt is counted, and the queue's life goes on. `response`: what was said there last, where that is why.
 */
export type Outcome =
  | { kind: 'accepted'; response: string; copy?: CapturedCopy }
  | { kind: 'refused'; reason: 'hard' | 'policy' | 'other'; phase: Phase; code: number | null; response: string }
  | { kind: 'deferred'; phase: Phase; code: number | null; response: string; slower?: boolean }
  | { kind: 'in_doubt'; phase: Phase; response: string }
  | { kind: 'postponed'; afterMs: number; response: string | null }
  | { kind: 'returned'; why: string }

export interface Provider {
  name: ProviderName | 'unusable'
  /** Whether mail stays in the capture mailbox and none leaves; such a provider has no rate. */
  captures: boolean
  /**
   * Whether to hand an envelope over inside the API request: true for every recipient of a relay; the capture mailbox accepts
   * by the commit, and says true only for its simulators that refuse or are slow.
   */
  inline(recipient: string): boolean
  /** How many envelopes can leave at once, now. A claim is never larger. */
  free(): number
  /** Hands one envelope over. Never rejects for anything a peer can do. */
  handOff(envelope: Envelope, lease: Lease): Promise<Outcome>
  /** Whether feedback of a delivery will come (capture, SES); when not, silence becomes `delivered` after a while. */
  reportsDelivery: boolean
  /** Lets hand-offs in flight end, up to `withinMs`, then drops them; each gets its own Outcome. */
  close(withinMs: number): Promise<void>
}
