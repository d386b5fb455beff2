/** Lists the DNS records that a domain should have, each with its purpose and value. */
import { isIP } from 'node:net'
import type { DomainRow } from '../../db/domains/domains.ts'
import type { DomainKeyRow } from '../../db/domains/domain-keys.ts'
import { reportAddresses } from '../../mail/reports/report-addresses.ts'
import { keyRecord } from '../../mail/signing/dkim-record.ts'
import type { ServiceSettings } from '../context.ts'

interface Expected<Purpose extends string, Type extends string> {
  purpose: Purpose
  type: Type
  name: string
  /** The value to publish when there is none. */
  value: string
  /** Whether the domain's verification depends on it. */
  required: boolean
}

export type ExpectedRecord =
  | (Expected<'dkim', 'TXT'> & { key: DomainKeyRow })
  /** `host`: the host that receives bounces. */
  | (Expected<'return_path', 'MX'> & { host: string })
  /** `terms`: the mechanisms that it must allow. */
  | (Expected<'spf', 'TXT'> & { terms: readonly string[] })
  | Expected<'dmarc', 'TXT'>
  /** `address`: ours, that takes the reports. */
  | (Expected<'tls_reports', 'TXT'> & { address: string })
  /** `target`: the host that serves pages and links. */
  | (Expected<'tracking', 'CNAME'> & { target: string })

/**
 * - DKIM, for each key that signs, will sign, or signed mail that may still be read. The RSA key
 *   proves ownership, and every receiver supports it. Ed25519 signs once it is found.
 * - the return path and its SPF, on a subdomain if bounces come to us; else SPF at the domain
 *   itself
 * - DMARC, which the large receivers require for bulk mail; its reports come to us where mail does
 * - the request for TLS reports on the return path's host (RFC 8460 3), where its mail comes to us
 * - the host of links, if ours has a name that an alias can point to
 */
export function expectedRecords(
  domain: Pick<DomainRow, 'name' | 'returnPathHost' | 'trackingHost'>,
  keys: DomainKeyRow[],
  settings: Pick<ServiceSettings, 'baseUrl' | 'bounceHost' | 'inboundDomain' | 'spf'>,
): ExpectedRecord[] {
  const { name } = domain
  const { bounceHost, inboundDomain, spf } = settings
  const returnPathHost = domain.returnPathHost ?? `bounce.${name}`
  const target = linkHost(settings.baseUrl)
  const newest = Math.max(...keys.map(({ pair }) => pair))
  const records: ExpectedRecord[] = keys.map((key) => ({
    ...{ purpose: 'dkim', type: 'TXT', name: `${key.selector}._domainkey.${name}`, key },
    value: keyRecord(key.algorithm, key.publicKey),
    required:
      key.algorithm === 'rsa-sha256' &&
      (key.state === 'signing' || (key.state === 'waiting' && key.pair === newest)),
  }))
  if (bounceHost !== null)
    records.push({
      ...{
        purpose: 'return_path',
        type: 'MX',
        name: returnPathHost,
        value: `10 ${bounceHost}`,
        required: false,
        host: bounceHost,
      },
    })
  if (spf.length > 0)
    records.push({
      ...{
        purpose: 'spf',
        type: 'TXT',
        name: bounceHost === null ? name : returnPathHost,
        required: false,
        terms: spf,
      },
      // A subdomain that only we use may refuse all other senders.
      value: `v=spf1 ${spf.join(' ')} ${bounceHost === null ? '~all' : '-all'}`,
    })
  const dmarc = dmarcPolicy(dmarcReportAddress(inboundDomain))
  records.push({
    purpose: 'dmarc',
    type: 'TXT',
    name: `_dmarc.${name}`,
    value: dmarc,
    required: false,
  })
  if (bounceHost !== null && inboundDomain !== null) {
    const address = `${reportAddresses.tlsrpt}@${inboundDomain}`
    records.push({
      ...{
        purpose: 'tls_reports',
        type: 'TXT',
        name: `_smtp._tls.${returnPathHost}`,
        required: false,
        address,
      },
      value: `v=TLSRPTv1; rua=mailto:${address}`,
    })
  }
  if (target !== null)
    records.push({
      ...{
        purpose: 'tracking',
        type: 'CNAME',
        name: domain.trackingHost ?? `links.${name}`,
        value: target,
        required: false,
        target,
      },
    })
  return records
}

/** Where reports on a domain's mail come to us. Null means nowhere. */
export const dmarcReportAddress = (inboundDomain: string | null): string | null =>
  inboundDomain === null ? null : `${reportAddresses.dmarc}@${inboundDomain}`

/** The policy of a domain that has none yet. */
export const dmarcPolicy = (reportAddress: string | null): string =>
  `v=DMARC1; p=none${reportAddress === null ? '' : `; rua=mailto:${reportAddress}`}`

/** Returns null for an IP address or a local name, which no alias can point to. */
function linkHost(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl)
  return hostname.includes('.') && isIP(hostname) === 0 && !hostname.startsWith('[')
    ? hostname
    : null
}
