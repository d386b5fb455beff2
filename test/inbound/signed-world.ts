/**
 * A world whose relay gets mail with our own signatures, and the reports that mailbox providers
 * send about it.
 */
import { startScriptedPeer, type ScriptedPeer } from '../support/scripted-peer.ts'
import { after } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { makeKeyPair, storeKeyPair } from '../../src/core/domains/make-keys.ts'
import { createSignMail } from '../../src/core/domains/sign-mail.ts'
import { beginSigning } from '../../src/db/domains/domain-keys.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import type { ApiOptions, TestWorkspace } from '../support/api.ts'
import { startInboundWorld, type InboundWorld } from './world.ts'

export interface SignedWorld extends InboundWorld {
  peer: ScriptedPeer
  /**
   * A workspace whose domain has keys that sign. With `ownHost`, its bounces come to a host below
   * its domain.
   */
  signing(name: string, options?: { ownHost?: boolean }): Promise<TestWorkspace>
}

export async function startSignedWorld(options: ApiOptions = {}): Promise<SignedWorld> {
  const peer = await startScriptedPeer({
    offers: ['PIPELINING', 'SIZE', '8BITMIME', 'SMTPUTF8', 'DSN'],
  })
  after(() => peer.close())
  let world: InboundWorld | null = null
  const provider = createSmtpRelay({
    relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
    clock: systemClock,
    sign: (envelope) => {
      if (world === null) throw new Error('The world is not there yet')
      return createSignMail(world.service.mailDomains, world.service.log)(envelope)
    },
  })
  const started = await startInboundWorld({ provider, ...options })
  world = started
  return {
    ...started,
    peer,
    async signing(name, { ownHost = false } = {}) {
      const workspace = await started.workspace(name)
      await beginToSign(started, workspace)
      if (ownHost)
        await started.service.db.count(sql`
          insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
          values (${workspace.id}, ${workspace.domain}, ${`bounce.${workspace.domain}`}, 'MX', 'return_path', 'found', '{}', true, 0, facteur_now())`)
      return workspace
    },
  }
}

/** Makes the next pair of keys, and signs with it. */
export async function beginToSign(
  { service }: InboundWorld,
  { id, domain }: TestWorkspace,
): Promise<void> {
  const keys = await makeKeyPair()
  await storeKeyPair(service.db, service.secrets, { workspaceId: id, domain, keys })
  for (const { selector } of keys)
    await beginSigning(service.db, id, { domain, selector, retireSeconds: 0 })
}

/** The parts of a feedback report, with their header lines. */
function report(head: string[], parts: string[][]): string {
  const boundary = '----=_Part_240060962_1083385345.1592993161900'
  const all = parts.flatMap((part) => [`--${boundary}`, ...part])
  return [
    ...head,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type="feedback-report";\r\n\tboundary="${boundary}"`,
    '',
    ...all,
    `--${boundary}--`,
    '',
  ].join('\r\n')
}

/**
 * As Yahoo's Complaint Feedback Loop sends it: the recipient stands in one field, and the whole
 * mail is returned.
 */
export const yahooReport = (original: string, { type = 'abuse' } = {}): string =>
  report(
    [
      'From: Yahoo Mail AntiSpam Feedback <feedback@arf.mail.yahoo.com>',
      'To: fbl@bounces.facteur.test',
      'Subject: complaint from a user',
    ],
    [
      [
        'Content-Type: text/plain; charset=US-ASCII',
        'Content-Transfer-Encoding: 7bit',
        '',
        'This is an email abuse report for an email message from shop.test.',
        '',
      ],
      [
        'Content-Type: message/feedback-report',
        'Content-Transfer-Encoding: 7bit',
        '',
        `Feedback-Type: ${type}`,
        'User-Agent: Yahoo!-Mail-Feedback/2.0',
        'Version: 0.1',
        'Original-Mail-From: b-something@bounces.facteur.test',
        'Original-Rcpt-To: victim@example.com',
        'Received-Date: Thu, 26 Nov 2026 06:31:38 GMT',
        'Reported-Domain: shop.test',
        'Authentication-Results: authentication result string is not available',
        '',
      ],
      ['Content-Type: message/rfc822', 'Content-Disposition: inline', '', original],
    ],
  )

/**
 * As Microsoft's JMRP sent it: the mail as an attachment behind headers of Hotmail, and no report.
 */
export const jmrpAttachment = (original: string, recipient = 'person@hotmail.com'): string =>
  [
    'From: <staff@hotmail.com>',
    'To: fbl@bounces.facteur.test',
    'Subject: complaint about message from 192.0.2.10',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="=_jmrp"',
    '',
    '--=_jmrp',
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment',
    '',
    `X-HmXmrOriginalRecipient: <${recipient}>`,
    'X-MS-Exchange-EOPDirect: true',
    'Received: from 192.0.2.10 by BAY004.hotmail.com with Microsoft SMTPSVC; Thu, 26 Nov 2026 06:31:38 -0800',
    original,
    '--=_jmrp--',
    '',
  ].join('\r\n')

/**
 * As Microsoft's JMRP sends it since June 2026: a report without the recipient, and the header
 * alone.
 */
export const jmrpReport = (original: string): string =>
  report(
    [
      'From: staff@hotmail.com',
      'To: fbl@bounces.facteur.test',
      'Subject: complaint about message from 192.0.2.10',
    ],
    [
      ['Content-Type: text/plain', '', 'This is an email abuse report.', ''],
      [
        'Content-Type: message/feedback-report',
        '',
        'Feedback-Type: abuse',
        'User-Agent: JMRP/2.0',
        'Version: 1',
        'Source-IP: 192.0.2.10',
        '',
      ],
      ['Content-Type: text/rfc822-headers', '', headerOf(redacted(original)), ''],
    ],
  )

/** Whom a mail was to is left out (RFC 6590). */
export const redacted = (original: string): string =>
  original.replace(/^To: [^\r]*(?:\r\n[ \t][^\r]*)*/m, 'To: redacted@hotmail.com')

export const headerOf = (original: string): string =>
  original.slice(0, original.indexOf('\r\n\r\n') + 2)
