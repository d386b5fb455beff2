/**
 * A service whose mails come back to a port of its own, and notices of servers that others wrote.
 */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import {
  serveInbound,
  type InboundEnd,
  type InboundOptions,
} from '../../src/entrypoints/inbound/serve-inbound.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { startScriptedPeer, type ScriptedPeer } from '../support/scripted-peer.ts'
import { startApi, type Api, type ApiOptions, type TestWorkspace } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'

export const inboundDomain = 'bounces.facteur.test'

export interface InboundWorld extends Api {
  port: number
  /** The end of each recipient and of each refused command, in order. */
  ends: InboundEnd[]
}

export async function startInboundWorld(
  options: ApiOptions = {},
  inbound: Partial<InboundOptions> = {},
): Promise<InboundWorld> {
  const api = await startApi({ ...options, settings: { inboundDomain, ...options.settings } })
  const ends: InboundEnd[] = []
  const served = await serveInbound(api.service, {
    ...{
      host: '127.0.0.1',
      port: 0,
      tls: null,
      ends: { inc: ({ outcome }) => ends.push(outcome) },
    },
    ...inbound,
  })
  after(() => served.close(500))
  return { ...api, port: served.port, ends }
}

/**
 * The same, with a relay that offers to send notices (RFC 3461) and sends none: only returned mail
 * reports on a mail.
 */
export async function startRelayedWorld(
  options: ApiOptions = {},
  inbound: Partial<InboundOptions> = {},
): Promise<InboundWorld & { peer: ScriptedPeer }> {
  const peer = await startScriptedPeer({
    offers: ['PIPELINING', 'SIZE', '8BITMIME', 'SMTPUTF8', 'DSN'],
  })
  after(() => peer.close())
  const provider = createSmtpRelay({
    relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
    clock: systemClock,
  })
  return { ...(await startInboundWorld({ provider, ...options }, inbound)), peer }
}

/**
 * A mail to each of these through the relay; answers its id and where its bounces go, in their
 * order.
 */
export async function relayedTo(
  { baseUrl, peer }: Api & { peer: ScriptedPeer },
  { key, domain }: TestWorkspace,
  to: string[],
): Promise<{ id: string; returnPaths: string[] }> {
  const answer = await ask(baseUrl, 'POST /api/v1/emails', {
    key,
    body: { from: `hello@${domain}`, to, subject: 'Hello', text: 'Hello' },
  })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  const returnPaths = to.map(
    (address) => peer.mails.findLast((mail) => mail.to[0] === address)?.from ?? '',
  )
  return { id: textAt(answer, 'id'), returnPaths }
}

export interface RecipientNow {
  email: string
  status: string
  error: string | null
}

export async function recipientsNow(
  { baseUrl }: Api,
  { key }: TestWorkspace,
  id: string,
): Promise<RecipientNow[]> {
  const answer = await ask(baseUrl, `GET /api/v1/emails/${id}`, { key })
  // As the contract's schema has it.
  const { recipients } = answer.body as { recipients: RecipientNow[] }
  return recipients.map(({ email, status, error }) => ({ email, status, error }))
}

/** As RFC 3464 has it; `fields` is of the one recipient. */
export function deliveryReport(
  fields: string,
  more: { from?: string; subject?: string; text?: string } = {},
): string {
  const {
    from = 'MAILER-DAEMON@mx.example.test',
    subject = 'Undelivered Mail Returned to Sender',
    text = 'Sorry.',
  } = more
  return [
    `From: ${from}`,
    'To: somebody@example.test',
    `Subject: ${subject}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="=_report"',
    '',
    '--=_report',
    'Content-Type: text/plain',
    '',
    text,
    '--=_report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.test',
    '',
    ...fields.trim().split('\n'),
    '',
    '--=_report',
    'Content-Type: text/rfc822-headers',
    '',
    'Subject: Hello',
    '',
    '--=_report--',
  ].join('\r\n')
}

export const noSuchUser = `Final-Recipient: rfc822; person@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 No such user here`

/** As RFC 5965 has it. */
export const complaint = (type: string): string =>
  [
    'From: feedback@mailbox.example.test',
    'To: somebody@example.test',
    'Subject: FW: Hello',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="=_arf"',
    '',
    '--=_arf',
    'Content-Type: text/plain',
    '',
    'This is an abuse report.',
    '--=_arf',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: Mailbox/1.0',
    'Version: 1',
    'Original-Rcpt-To: <victim@example.com>',
    '',
    '--=_arf',
    'Content-Type: message/rfc822',
    '',
    'Subject: Hello',
    '',
    'Hello',
    '--=_arf--',
  ].join('\r\n')
