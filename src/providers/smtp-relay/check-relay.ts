/**
 * Checks that mail can leave by a relay: connects, encrypts and logs in as a hand-off would, and
 * sends nothing.
 */
import { hostname } from 'node:os'
import { dialTcp } from '../../mail/smtp-client/dial.ts'
import { openSmtpSession, type Opened } from '../../mail/smtp-client/open-session.ts'
import type { Relay } from '../../mail/smtp-client/relay.ts'
import { rfcTimeouts } from '../../mail/smtp-client/timeouts.ts'
import { failed, passed, type Check, type CheckParts } from '../provider-check.ts'

/** The operator waits for the answer; a hand-off is more patient. */
const timeouts = { ...rfcTimeouts, dial: 5_000, greet: 10_000, ehlo: 10_000, tls: 10_000 }

export async function checkRelay(
  relay: Relay,
  { clock, signal, nameOf }: CheckParts,
): Promise<Check> {
  const setting = nameOf('url')
  const name = hostname()
  const opened = await openSmtpSession(
    { relay, dial: dialTcp, timeouts, clock, ...(name.includes('.') ? { name } : {}) },
    signal,
  )
  const location = `${relay.host}:${relay.port}`
  if (opened.kind === 'failed')
    return failed(
      'provider',
      `${location}: ${opened.response} (at ${opened.phase})`,
      nextAfter(opened, setting),
    )
  opened.channel.write('QUIT\r\n')
  opened.channel.drop()
  return passed(
    'provider',
    `${location} answers${relay.login ? ' and accepts the user and password' : ''}`,
  )
}

function nextAfter({ phase }: Extract<Opened, { kind: 'failed' }>, setting: string): string {
  switch (phase) {
    case 'dial':
      return `Check host and port in ${setting}, and that no firewall stops connections to them.`
    case 'tls':
      return 'Use the host name of its certificate, name its authority by ?ca=FILE, or smtps:// for TLS from the first byte.'
    case 'auth':
      return `Check user and password in ${setting} (% is written %25).`
    default:
      return "Ask the relay's operator whether this machine may use it."
  }
}
