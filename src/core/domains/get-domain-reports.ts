/** GET /domains/{name}/reports: what mailbox providers report on a domain. */
import { existing } from '../../contract/errors.ts'
import { reportDays, reportEntriesMax, type DomainReports } from '../../contract/workspace/domain-reports.ts'
import { complaintSums } from '../../db/domain-reports/complaint-days.ts'
import { dmarcDays, dmarcSources } from '../../db/domain-reports/dmarc-sources.ts'
import { tlsDays, tlsResults } from '../../db/domain-reports/tls-results.ts'
import { reportAddresses } from '../../mail/reports/report-addresses.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import type { ServiceSettings } from '../context.ts'
import type { Verb } from '../verb.ts'
import { domainOfPath } from './read-domain-name.ts'

export const getDomainReports: Verb<'getDomainReports'> = async ({ db, settings, workspaceId }, { params }) => {
  const name = domainOfPath(params.name)
  const { returnPathHost } = existing((await domainsOf(db, workspaceId)).find((row) => row.name === name) ?? null)
  const of = { domain: name, days: reportDays, max: reportEntriesMax }
  const [days, sources, ofTls, results, complaints] = await Promise.all([
    dmarcDays(db, workspaceId, of),
    dmarcSources(db, workspaceId, of),
    tlsDays(db, workspaceId, of),
    tlsResults(db, workspaceId, of),
    complaintSums(db, workspaceId, of),
  ])
  const body: DomainReports = {
    object: 'domain_reports',
    name,
    dmarc: {
      days: days.map(({ day, ...counts }) => ({ day: dateOf(day), ...counts })),
      sources: sources.map(({ source, headerFrom, dkimDomain, spfDomain, ...rest }) => ({
        ...{ source: source === '' ? null : source, header_from: headerFrom, dkim_domain: dkimDomain, spf_domain: spfDomain },
        ...rest,
      })),
    },
    tls: {
      days: ofTls.map(({ day, ...counts }) => ({ day: dateOf(day), ...counts })),
      results: results.map(({ policyDomain, host, ...rest }) => ({
        ...{ policy_domain: policyDomain, host: host === '' ? null : host },
        ...rest,
      })),
      record: tlsRecord(settings, returnPathHost ?? `bounce.${name}`),
    },
    complaints: complaints.map(({ firstAt, lastAt, ...rest }) => ({
      ...rest,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
  }
  return { body }
}

/** The TXT record that asks senders of bounces for reports (RFC 8460 3); null where mail does not come to us. */
const tlsRecord = (
  { inboundDomain, bounceHost }: Pick<ServiceSettings, 'inboundDomain' | 'bounceHost'>,
  host: string,
): DomainReports['tls']['record'] =>
  inboundDomain === null || bounceHost === null
    ? null
    : { name: `_smtp._tls.${host}`, value: `v=TLSRPTv1; rua=mailto:${reportAddresses.tlsrpt}@${inboundDomain}` }

const dateOf = (day: Date): string => day.toISOString().slice(0, 10)
