/**
 * How refusals of real servers are classified. Texts are typical of each server; addresses are
 * reserved ones.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOfReply } from '../../../src/mail/smtp-client/outcome.ts'
import type { SmtpPhase } from '../../../src/mail/smtp-client/phase.ts'
import { ReplyReader } from '../../../src/mail/smtp-client/reply-reader.ts'

type Meaning = 'hard' | 'policy' | 'other' | 'deferred'

/** [meaning, the reply, the phase when it is not RCPT] */
const replies: [Meaning, string, SmtpPhase?][] = [
  // Mailbox unknown, with an enhanced code.
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
  ],
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown in local recipient table',
  ],
  [
    'hard',
    '550 5.1.1 <nobody@example.com>: Recipient address rejected: User unknown in relay recipient table',
  ],
  ['hard', '550 5.1.1 <nobody@example.com>... User unknown'],
  [
    'hard',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550 5.1.1 unnecessary spaces. abc123 - gsmtp",
  ],
  ['hard', '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found'],
  ['hard', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
  ['hard', '550 5.1.1 Mailbox does not exist'],
  ['hard', '550 5.1.1 sorry, no mailbox here by that name'],
  ['hard', '550 5.1.1 unknown or illegal alias: nobody@example.com'],
  ['hard', '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416'],
  ['hard', '511 5.1.1 User unknown'],
  ['hard', '554 5.1.1 Recipient rejected'],
  ['hard', '550 5.1.2 <x@nowhere.example>: Recipient address rejected: Domain not found'],
  ['hard', '553 5.1.3 <a..b@example.com>: Recipient address syntax is bad'],
  ['hard', '550 5.1.6 Recipient no longer with us; mailbox has moved, no forwarding address'],
  ['hard', '556 5.1.10 Recipient address has a null MX'],
  ['hard', '556 Domain does not accept mail'],
  ['hard', '550 5.1.1 <spam@example.com>: Recipient address rejected: User unknown'],
  ['hard', '550 5.1.1 <blocked-policy@example.com> does not exist here'],
  // Mailbox unknown, in words only.
  ['hard', '550 No such user here'],
  ['hard', '550 No Such User Here"'],
  ['hard', '550 nobody@example.com: user unknown'],
  ['hard', '550 Unknown user'],
  ['hard', '550 unknown local part nobody in <nobody@example.com>'],
  ['hard', '550 Unrouteable address: unknown user'],
  ['hard', '550 Invalid recipient nobody@example.com'],
  ['hard', '550 Mailbox not found'],
  ['hard', '550 Requested action not taken: mailbox not found'],
  ['hard', '550 Recipient not found.'],
  ['hard', '550 Address does not exist'],
  ['hard', '550 <nobody@example.com> is not a valid mailbox'],
  ['hard', '550 This account does not exist'],
  ['hard', '550 sorry, no mailbox here by that name (#5.1.1)'],
  ['hard', '551 User not local; please try another path: there is no such user'],
  ['hard', '553 sorry, this recipient does not exist in my validrcptto list'],
  ['hard', '550 The mail address could not be found'],
  ['hard', '550 Account nobody does not exist on this server'],
  [
    'hard',
    "554 delivery error: dd This user doesn't have an example.com account (nobody@example.com) [0]",
    'replied',
  ],
  ['hard', '550 5.1.1 User unknown', 'replied'],
  ['hard', '550 5.1.1 User unknown', 'data'],
  ['hard', '550 5.4.4 Host or domain name not found: no such domain'],
  // Policy, reputation, content, greylisting: our doing, never the address's.
  [
    'policy',
    '550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org',
  ],
  ['policy', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.spamcop.net'],
  [
    'policy',
    '550-5.7.26 This mail has been blocked because the sender is unauthenticated.\n550 5.7.26 DKIM = did not pass',
    'replied',
  ],
  [
    'policy',
    '550-5.7.1 Our system has detected that this message is likely unsolicited mail.\n550 5.7.1 gsmtp',
    'replied',
  ],
  [
    'policy',
    '550 5.7.509 Access denied, sending domain does not pass DMARC verification',
    'replied',
  ],
  ['policy', '550 5.7.1 <x@example.com>: Relay access denied'],
  ['policy', '550 relay not permitted'],
  ['policy', '554 Relaying denied'],
  ['policy', '550 5.7.606 Access denied, banned sending IP [192.0.2.1]'],
  ['policy', '550 5.1.1 Mail from 192.0.2.1 refused, see the block list'],
  ['policy', '550 Message rejected as spam', 'replied'],
  ['policy', '554 5.6.0 Message contains a virus', 'replied'],
  ['policy', '550 SC-001 Mail rejected for policy reasons; your network is on our block list'],
  ['policy', '550 OU-002 Mail rejected: IP reputation'],
  ['hard', '554 5.4.1 Recipient address rejected: Access denied'],
  ['policy', '550 5.7.23 The message was rejected because of Sender Policy Framework violation'],
  ['policy', '550 SPF check failed'],
  ['policy', '550 5.7.25 The IP address sending this message does not have a PTR record'],
  ['policy', '550 Greylisted, please retry'],
  ['policy', '550 5.7.1 user unknown'],
  [
    'policy',
    '554 Your access to this mail system has been rejected due to poor reputation',
    'mail',
  ],
  ['policy', '550 5.7.1 Sender not allowed', 'mail'],
  // All else.
  ['other', '552 5.2.2 Mailbox full'],
  ['other', '552 5.2.2 The email account that you tried to reach is over quota'],
  ['other', '550 5.2.1 The email account that you tried to reach is disabled'],
  ['other', '550 mailbox unavailable'],
  ['other', '550 Requested action not taken: mailbox unavailable'],
  ['other', '550 5.5.0 Requested action not taken: mailbox unavailable'],
  ['other', '550 rejected'],
  ['other', '550 Administrative reasons'],
  ['other', '552 5.3.4 Message size exceeds fixed limit', 'replied'],
  ['other', '554 5.6.0 Message is malformed', 'replied'],
  ['other', '550 5.1.0 Address rejected'],
  ['other', '550 5.1.8 Sender address rejected: Domain not found'],
  ['other', '550 5.1.7 <x@demo.test>: Sender address rejected: user unknown'],
  ['other', '550 Sender verify failed: unknown user in the return path'],
  ['other', '553 Invalid sender address: user unknown'],
  ['other', '554 5.5.1 Error: no valid recipients', 'data'],
  ['other', '550 5.1.1 User unknown', 'mail'],
  ['other', '550 No such user here', 'mail'],
  ['other', '501 5.5.4 Syntax error in parameters', 'mail'],
  ['other', '554 5.4.14 Hop count exceeded', 'replied'],
  ['other', '550 5.4.316 Message expired', 'replied'],
  // Another day.
  ['deferred', '450 4.2.0 <x@example.com>: Recipient address rejected: Greylisted'],
  ['deferred', '451 4.7.1 Please try again later'],
  ['deferred', '452 4.2.2 Mailbox full'],
  [
    'deferred',
    '450 4.1.1 <x@example.com>: Recipient address rejected: unverified address: user unknown',
  ],
  ['deferred', '421 4.7.0 Too many connections'],
  ['deferred', '451 4.3.0 Queue file write error', 'replied'],
  // Our own configuration (RFC 4954 6).
  ['deferred', '530 5.7.0 Must issue a STARTTLS command first', 'mail'],
  ['deferred', '530 5.7.1 Authentication required', 'mail'],
  ['deferred', '535 5.7.8 Bad credentials', 'auth'],
]

for (const [meaning, text, phase = 'rcpt'] of replies) {
  test(`${meaning} at ${phase}: ${text.split('\n')[0]}`, () => {
    const reader = new ReplyReader()
    reader.push(Buffer.from(`${text.replaceAll('\n', '\r\n')}\r\n`))
    assert.ok(reader.next())
    const outcome = outcomeOfReply(phase, reader)
    assert.equal(outcome.kind === 'refused' ? outcome.reason : outcome.kind, meaning)
  })
}
