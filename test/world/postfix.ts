/**
 * Postfix, once, at several addresses: a friendly host, an impatient one, a strict one, one behind
 * a greylist, and a relay.
 */
import { startPostfix } from '../support/postfix.ts'
import { startGreylist } from './greylist.ts'
import { greyAt, postfixAt, postfixV6, relayAt, stormAt, strictAt } from './places.ts'
import { mailboxUser, makeFolder, untilGreeted, whyNot, type MailServer } from './servers.ts'

export const whyNoPostfix = whyNot('/usr/sbin/postfix')

/**
 * It takes mail for users whom it does not have, and reports so by a notice of its own; at
 * `strictAt` it asks first.
 */
export async function startWorldPostfix(scope: {
  after(end: () => void): void
}): Promise<MailServer> {
  const boxes = makeFolder('postfix-boxes', mailboxUser)
  const greylist = await startGreylist(scope)
  const domains = [
    'postfix.test',
    'v6only.test',
    'withoutmx.test',
    'failover.test',
    'storm.test',
    'grey.test',
    'recovering.test',
    'strict.test',
  ]
  const box = (address: string, name: string): string => `{ ${address} = ${name}/ }`
  await startPostfix(
    scope,
    [
      // Not all of them: it would take our host's address for its own, and itself for a loop.
      `inet_interfaces = ${[postfixAt, `[${postfixV6}]`, stormAt, strictAt, greyAt, relayAt].join(', ')}`,
      ...[
        'inet_protocols = all',
        'myhostname = mx.postfix.test',
        'mydestination =',
        'mynetworks =',
      ],
      `virtual_mailbox_domains = ${domains.join(', ')}`,
      `virtual_mailbox_base = ${boxes}`,
      `virtual_mailbox_maps = inline:{ ${domains.map((domain) => box(`reader@${domain}`, domain)).join(', ')}, ${box('@storm.test', 'storm.test')} }`,
      ...[
        'virtual_uid_maps = static:61006',
        'virtual_gid_maps = static:61006',
        'virtual_minimum_uid = 1000',
      ],
      ...[
        'smtpd_tls_security_level = may',
        'smtpd_tls_received_header = yes',
        'smtpd_reject_unlisted_recipient = no',
      ],
      ...[
        'smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination',
        'smtp_tls_security_level = may',
      ],
      // Mails that it relays come from this address.
      `smtp_bind_address = ${relayAt}`,
      ...[
        'relayhost =',
        'minimal_backoff_time = 2s',
        'queue_run_delay = 2s',
        'disable_vrfy_command = yes',
      ],
      'virtual_transport = virtual',
    ],
    {
      services: [
        `${postfixAt}:25 inet n - n - - smtpd`,
        `[${postfixV6}]:25 inet n - n - - smtpd`,
        // Its own counters: a limit of connections would count those of the others.
        `${stormAt}:25 inet n - n - - smtpd -o smtpd_client_connection_count_limit=2`,
        `${strictAt}:25 inet n - n - - smtpd -o smtpd_reject_unlisted_recipient=yes`,
        `${greyAt}:25 inet n - n - - smtpd -o smtpd_recipient_restrictions=check_policy_service,inet:127.0.0.1:${greylist}`,
        `${relayAt}:25 inet n - n - - smtpd -o mynetworks=10.25.0.0/16`,
        'virtual unix - n n - - virtual',
      ],
    },
  )
  await untilGreeted(postfixAt)
  return { mailbox: (name) => `${boxes}/${name}` }
}
