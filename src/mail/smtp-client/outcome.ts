/** Input and outcome of the SMTP client, on which the interface of all providers is built. */
import { classifyRefusal } from './classify-refusal.ts'
import type { SmtpPhase } from './phase.ts'
import type { ReplyReader } from './reply-reader.ts'

/** One message for one recipient. */
export interface SmtpEnvelope {
  /** `<message id>/<position>`, for logs and a provider's own tags. */
  reference: string
  /** MAIL FROM (RFC 5321 4.1.1.2). */
  returnPath: string
  /**
   * The notices to ask the next server for (RFC 3461 4.1): `all`, or `trouble` alone. Absent if
   * there is none, since they would not reach us; the peer follows its default.
   */
  notify?: 'all' | 'trouble'
  /** RCPT TO: `local@a-label`. */
  recipient: string
  /** The whole message, CRLF line ends, without dot-stuffing. */
  bytes: Buffer
  /**
   * Whether the headers or the envelope hold non-ASCII addresses, so that the peer must offer
   * SMTPUTF8 (RFC 6531).
   */
  utf8: boolean
  /** The envelope is of a campaign: mail that a caller waits for goes first. */
  bulk?: boolean
}

/** The holder's lease: the provider asks it before each irreversible step. */
export interface SmtpLease {
  /**
   * False when too little is left of the lease to begin MAIL or the content: drop the connection,
   * answer `returned`.
   */
  mayProceed(): boolean
  /**
   * The provider asks once, right before the irreversible step: the final dot, or the call that
   * hands the mail over. From then on the mail may have left. False means do not take the step,
   * answer `returned`. Never rejects.
   */
  mayPassDot(): boolean | Promise<boolean>
}

export type SmtpOutcome =
  | { kind: 'accepted'; response: string }
  | {
      kind: 'refused'
      reason: 'hard' | 'policy' | 'other'
      phase: SmtpPhase
      code: number | null
      response: string
    }
  /** `peer`: the host that answered so to MAIL or RCPT. */
  | { kind: 'deferred'; phase: SmtpPhase; code: number | null; response: string; peer?: string }
  | { kind: 'in_doubt'; phase: SmtpPhase; response: string }
  /** `waited`: it found no connection in time. */
  | { kind: 'returned'; why: string; waited?: true }

/** The meaning of a 4xx or 5xx reply (RFC 5321 4.2.1) for the envelope that it answers. */
export function outcomeOfReply(phase: SmtpPhase, reply: ReplyReader): SmtpOutcome {
  const code = reply.code
  const response = reply.response()
  if (code < 500 || concernsOurConfiguration(code))
    return { kind: 'deferred', phase, code, response }
  return {
    kind: 'refused',
    reason: classifyRefusal(phase, code, reply.enhanced(), reply.text()),
    phase,
    code,
    response,
  }
}

/**
 * RFC 4954 6: authentication is missing, too weak, wrong or needs encryption. An operator mends it,
 * and the mail then goes.
 */
function concernsOurConfiguration(code: number): boolean {
  return code === 530 || code === 534 || code === 535 || code === 538
}
