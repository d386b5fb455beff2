/**
 * Input and outcome of the SMTP client: the provider interface's own types, as far as SMTP knows them. They are
 * repeated here because imports only go down; `providers/smtp-relay/smtp-relay.ts` does not compile when they differ.
 */
import { classifyRefusal } from './classify-refusal.ts'
import type { SmtpPhase } from './phase.ts'
import type { ReplyReader } from './reply-reader.ts'

/** One message for one recipient; see `providers/provider.ts` for the fields. */
export interface SmtpEnvelope {
  reference: string
  returnPath: string
  notify?: 'all' | 'trouble'
  recipient: string
  bytes: Buffer
  utf8: boolean
  /** Of a campaign: others go before it. */
  bulk?: boolean
}

/** `mayProceed` is asked right before MAIL and before a large content, `mayPassDot` right before the final dot. */
export interface SmtpLease {
  mayProceed(): boolean
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
  | { kind: 'deferred'; phase: SmtpPhase; code: number | null; response: string }
  | { kind: 'in_doubt'; phase: SmtpPhase; response: string }
  /** `waited`: it found no connection in time. */
  | { kind: 'returned'; why: string; waited?: true }

/** The meaning of a 4xx or 5xx reply (RFC 5321 4.2.1) for the envelope that it answers. */
export function outcomeOfReply(phase: SmtpPhase, reply: ReplyReader): SmtpOutcome {
  const code = reply.code
  const response = reply.response()
  if (code < 500 || concernsOurConfiguration(code)) return { kind: 'deferred', phase, code, response }
  return {
    kind: 'refused',
    reason: classifyRefusal(phase, code, reply.enhanced(), reply.text()),
    phase,
    code,
    response,
  }
}

/** RFC 4954 6: authentication is missing, too weak, wrong or needs encryption. An operator mends it, and the mail then goes. */
function concernsOurConfiguration(code: number): boolean {
  return code === 530 || code === 534 || code === 535 || code === 538
}
