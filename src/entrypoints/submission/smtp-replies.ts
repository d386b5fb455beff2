/**
 * Every reply of the submission port that is ours (docs/smtp.md lists them). The codes are those
 * that RFC 5321 4.3.2 allows behind the final dot: 450 and 550 for policy, 451 for errors of ours,
 * 552 and 554 for the mail; RFC 3463 3 gives the enhanced codes, RFC 4954 6 those of AUTH.
 */
import type { ErrorCode } from '../../contract/errors.ts'
import type { Answer } from '../../core/dispatch/call.ts'
import type { Unacceptable } from '../../mail/submission/unacceptable.ts'

export interface SmtpReply {
  code: number
  /** Begins with the enhanced status code (RFC 2034 4). */
  text: string
}

const reply = (code: number, enhanced: string, text: string): SmtpReply => ({
  code,
  text: `${enhanced} ${asReplyText(text)}`,
})

/**
 * Printable ASCII (RFC 5321 4.2), within the 512 bytes of a reply line (4.5.3.1.5). What mends a
 * refusal stands at the beginning of its sentence.
 */
function asReplyText(text: string): string {
  const ascii = text
    .normalize('NFKC')
    .replaceAll(/[\u2018\u2019\u02bc]/g, "'")
    .replaceAll(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\x20-\x7e]/gu, '?')
  return ascii.length <= textMax ? ascii : `${ascii.slice(0, textMax - 3)}...`
}

const textMax = 450

export const replies = {
  // RFC 4954 4: in place of a password in the clear.
  encryptFirst: reply(
    538,
    '5.7.11',
    'Encryption required: begin with STARTTLS, or use the port for TLS',
  ),
  wrongKey: reply(
    535,
    '5.7.8',
    'The password is an API key with emails:send; the user is facteur or the slug of its workspace',
  ),
  throttled: reply(454, '4.7.0', 'Too many failed logins, please try again in a minute'),
  notNow: reply(454, '4.7.0', 'The key cannot be checked now, please try again'),
  tooManyLogins: reply(421, '4.7.0', 'Too many failed logins'),
  tooManyConnections: reply(421, '4.7.0', 'Too many connections'),
  stopping: reply(421, '4.3.2', 'Stopping, please try again'),
  tooSlow: reply(421, '4.4.2', 'This took too long, please try again'),
  tooManyCommands: reply(421, '4.7.0', 'Too many commands that are none, or before a login'),
  longCommand: reply(500, '5.5.2', 'The command is too long'),
  undecodable: reply(501, '5.5.2', 'This cannot be decoded'),
  bareCommand: reply(500, '5.5.2', 'A line ends with CRLF; a bare CR or LF came'),
  // RFC 5321 4.1.1.11: a client that is not refused takes the parameter for granted.
  unknownParameter: reply(555, '5.5.4', 'EHLO does not offer this parameter'),
  badRecipient: reply(553, '5.1.3', 'This is no address that mail can be sent to'),
  // RFC 5321 4.1.1.4: a client would send to the recipients that were taken.
  refusedRecipient: reply(554, '5.5.1', 'A recipient was refused, so nobody gets the mail'),
  bareData: reply(
    554,
    '5.5.2',
    'The mail was not taken: its lines have to end with CRLF; a bare CR or LF came',
  ),
  tooLarge: reply(552, '5.3.4', 'The mail was not taken: it is too large'),
  busy: reply(451, '4.3.2', 'Busy, please try again'),
  internal: reply(451, '4.3.0', 'Something failed here, please try again'),
} as const

const unacceptable: Record<Unacceptable['kind'], [number, string]> = {
  malformed: [554, '5.5.2'],
  too_large: [552, '5.3.4'],
  not_supported: [554, '5.6.1'],
}

/** The codes of refusals that do not depend on their details. */
const byCode: Partial<Record<ErrorCode, [number, string]>> = {
  rate_limit_exceeded: [450, '4.7.0'],
  quota_exceeded: [450, '4.7.0'],
  reputation_blocked: [450, '4.7.0'],
  unverified_from_domain: [550, '5.7.1'],
  suppressed_recipient: [550, '5.7.1'],
  // The key was revoked, or lost its permission, since the login.
  invalid_api_key: [550, '5.7.1'],
  revoked_api_key: [550, '5.7.1'],
  insufficient_scope: [550, '5.7.1'],
  idempotency_key_reused: [554, '5.5.4'],
  send_failed: [554, '5.0.0'],
  validation_error: [554, '5.5.2'],
  internal_error: [451, '4.3.0'],
}

/** The reply to a mail whose call was answered so. */
export function replyTo({ code, body }: Pick<Answer, 'code' | 'body'>): SmtpReply {
  const { id, error } = body as {
    id?: string
    error?: { message: string; details: Record<string, unknown> }
  }
  if (code === null) return reply(250, '2.6.0', `Accepted as ${id}`)
  const { message = '', details = {} } = error ?? {}
  const { kind, rule, reason } = details
  if (typeof kind === 'string' && kind in unacceptable) {
    const [status, enhanced] = unacceptable[kind as Unacceptable['kind']]
    return reply(status, enhanced, `The mail was not taken: ${String(details['why'])}`)
  }
  if (reason === 'busy') return replies.busy
  if (rule === 'recipients') return reply(550, '5.5.3', message)
  const [status, enhanced] = byCode[code] ?? [451, '4.3.0']
  return reply(status, enhanced, message)
}

/** As smtp-server's handlers pass a refusal on. */
export const asError = ({ code, text }: SmtpReply): Error =>
  Object.assign(new Error(text), { responseCode: code })
