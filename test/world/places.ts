/** Who is where in the little world that namespace.sh makes. */
import type { ZoneRecords } from '../support/dns-server.ts'

/** Our own host: what leaves comes from it, and what comes back goes to it. */
export const ours = { name: 'mx.facteur.test', v4: '10.25.0.9', v6: 'fd25::9' }
/** Another installation of ours, which mails by a relay. */
export const relayed = { name: 'mx.relayed.test', v4: '10.25.0.12' }
/** The ranges that an operator would allow here; 10.66.0.1 is in none of them. */
export const allowedRanges = '10.25.0.0/16,fd25::/16'
export const nameServer = { host: '10.25.0.53', port: 53 }
export const tarpitAt = '10.25.0.11'
export const forbiddenHost = '10.66.0.1'

export const postfixAt = '10.25.1.1'
export const postfixV6 = 'fd25::1:1'
/**
 * The same Postfix with a short temper: two connections from one client at most, the others get a
 * 421.
 */
export const stormAt = '10.25.1.2'
/**
 * The same Postfix where it knows its users before it takes a mail: it refuses the others at RCPT.
 */
export const strictAt = '10.25.1.3'
/** The same Postfix behind a greylist. */
export const greyAt = '10.25.1.5'
/** The same Postfix as a relay for others. */
export const relayAt = '10.25.1.4'
export const eximAt = '10.25.2.1'
export const opensmtpdAt = '10.25.3.1'

const mx = (...exchanges: string[]): ZoneRecords => ({
  MX: exchanges.map((exchange, at) => ({ preference: 10 * (at + 1), exchange })),
})

/** The whole world's DNS, without the domains that are added later. */
export const zone: Record<string, ZoneRecords> = {
  [ours.name]: { A: [ours.v4] },
  'bounces.facteur.test': mx(ours.name),
  [relayed.name]: { A: [relayed.v4] },
  'bounces.relayed.test': mx(relayed.name),
  // As its certificate calls it.
  'relay.test': { A: [relayAt] },
  // Where links lead.
  'mail.facteur.test': { A: [ours.v4] },
  '9.0.25.10.in-addr.arpa': { PTR: [ours.name] },

  'postfix.test': mx('mx.postfix.test'),
  'mx.postfix.test': { A: [postfixAt] },
  'exim.test': mx('mx.exim.test'),
  'mx.exim.test': { A: [eximAt] },
  'opensmtpd.test': mx('mx.opensmtpd.test'),
  'mx.opensmtpd.test': { A: [opensmtpdAt] },

  'v6only.test': mx('mx.v6only.test'),
  'mx.v6only.test': { AAAA: [postfixV6] },
  'withoutmx.test': { A: [postfixAt] },
  // The first address is unassigned; at the second nothing listens.
  'failover.test': mx('gone.failover.test', 'shut.failover.test', 'mx.postfix.test'),
  'gone.failover.test': { A: ['10.25.99.99'] },
  'shut.failover.test': { A: ['10.25.0.10'] },
  'storm.test': mx('mx.storm.test'),
  'mx.storm.test': { A: [stormAt] },
  'grey.test': mx('mx.grey.test'),
  'mx.grey.test': { A: [greyAt] },
  'recovering.test': mx('mx.postfix.test'),
  // Takes the connection, and says nothing.
  'tarpit.test': mx('mx.tarpit.test'),
  'mx.tarpit.test': { A: [tarpitAt] },
  'strict.test': mx('mx.strict.test'),
  'mx.strict.test': { A: [strictAt] },
  'nullmx.test': { MX: [{ preference: 0, exchange: '.' }] },
  'private.test': mx('mx.private.test'),
  'mx.private.test': { A: [forbiddenHost] },
  'loopback.test': { A: ['127.0.0.1'] },
}
