/** Answers a domain: to members as the pages show it, to a key in the shape that SDKs know. */
import type { ApiDomain } from '../../contract/domains.ts'
import type { Domain } from '../../contract/workspace/domains.ts'
import type { DomainRow } from '../../db/domains/domains.ts'
import { isByKey, type CallContext } from '../context.ts'
import { domainBody, domainSummary } from './domain-body.ts'
import type { PresentedDomain, PresentedRecord } from './present-domain.ts'

export const answerDomain = (
  ctx: Pick<CallContext, 'apiKey'>,
  domain: PresentedDomain,
): { body: Domain | ApiDomain } => ({
  body: isByKey(ctx)
    ? { ...keySummary(domain), records: domain.records.map(keyRecord) }
    : domainBody(domain),
})

export function keySummary(domain: DomainRow): Omit<ApiDomain, 'records'> {
  const { verified_by: _ofMembers, ...summary } = domainSummary(domain)
  return {
    ...summary,
    ...{ id: domain.name, region: null },
    capabilities: { sending: 'enabled', receiving: 'disabled' },
  }
}

const kinds = {
  dkim: 'DKIM',
  return_path: 'SPF',
  spf: 'SPF',
  dmarc: 'DMARC',
  tls_reports: 'TLSRPT',
  tracking: 'Tracking',
} as const

const states = {
  found: 'verified',
  wrong: 'failed',
  missing: 'pending',
  unanswered: 'temporary_failure',
} as const

function keyRecord(record: PresentedRecord): ApiDomain['records'][number] {
  const { purpose, name, type, expected, required, status, found: result, problem } = record
  // RFC 1035 3.3.9: an MX record has its preference before the host.
  const [, preference, host] = (type === 'MX' && /^(\d+) (.+)$/.exec(expected)) || []
  return {
    ...{ record: kinds[purpose], name, type, ttl: 'Auto' as const, value: host ?? expected },
    ...(preference !== undefined && { priority: Number(preference) }),
    status: status === null ? 'not_started' : states[status],
    ...{ required, found: result, problem },
  }
}
