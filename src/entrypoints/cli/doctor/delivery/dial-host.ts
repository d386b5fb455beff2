/** Connects to a mail host and reads its greeting and its extensions; sends nothing else. */
import { hostname } from 'node:os'
import type { Config } from '../../../../ground/config.ts'
import type { Resolver } from '../../../../ground/dns/lookup.ts'
import { dialTcp } from '../../../../mail/smtp-client/dial.ts'
import { openSmtpSession } from '../../../../mail/smtp-client/open-session.ts'
import { rfcTimeouts } from '../../../../mail/smtp-client/timeouts.ts'
import type { DoctorParts } from '../check.ts'

/** The input of the checks of the path of mail. */
export type DeliveryParts = DoctorParts & { resolver: Resolver }

/** The operator waits for the answer; a hand-off is more patient. */
export const patience = { ...rfcTimeouts, dial: 10_000, greet: 15_000, ehlo: 10_000, tls: 10_000 }

/** Null means it answered. Otherwise what went wrong. */
export async function dialHost(
  { surroundings: { clock, signal }, config }: DoctorParts,
  address: string,
): Promise<string | null> {
  const name = ehloName(config)
  const relay = {
    host: address,
    port: config.mxPort,
    tls: 'starttls',
    certificate: 'none',
  } as const
  const opened = await openSmtpSession(
    { relay, dial: dialTcp, timeouts: patience, clock, ...(name && { name }) },
    signal,
  )
  if (opened.kind === 'failed') return `${opened.response} (at ${opened.phase})`
  opened.channel.write('QUIT\r\n')
  opened.channel.drop()
  return null
}

/** RFC 5321 4.1.4: a name that the world can look up. Null means an address literal. */
export function ehloName({ heloName }: Config): string | null {
  const name = heloName ?? hostname()
  return name.includes('.') ? name : null
}

/**
 * The hosts that take a domain's mail, with their addresses, the most preferred first; a text where
 * there is none.
 */
export async function mailHostsOf(
  { resolve }: Resolver,
  domain: string,
): Promise<{ host: string; address: string }[] | string> {
  const mx = await resolve(domain, 'MX')
  if (mx.kind === 'failed') return `DNS does not answer for the MX of ${domain} (${mx.why})`
  const hosts =
    mx.kind === 'found'
      ? mx.records.toSorted((a, b) => a.preference - b.preference).map(({ exchange }) => exchange)
      : [domain]
  const matches: { host: string; address: string }[] = []
  for (const host of hosts.filter((entry) => entry !== '.').slice(0, 3)) {
    for (const lookup of await Promise.all([resolve(host, 'A'), resolve(host, 'AAAA')]))
      if (lookup.kind === 'found')
        matches.push(...lookup.records.map((address) => ({ host, address })))
  }
  return matches.length > 0 ? matches : `no host takes mail for ${domain}`
}
