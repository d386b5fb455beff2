/** GET /domains/{name}/reports: what mailbox providers report on a domain. */
import { existing } from '../../contract/errors.ts'
import {
  reportDays,
  reportEntriesMax,
  type DomainReports,
} from '../../contract/workspace/domain-reports.ts'
import { complaintSums } from '../../db/domain-reports/complaint-days.ts'
import { countCutReports } from '../../db/domain-reports/domain-reports.ts'
import { dmarcDays, dmarcSources } from '../../db/domain-reports/dmarc-sources.ts'
import { tlsDays, tlsResults } from '../../db/domain-reports/tls-results.ts'
import { domainRecordsOf } from '../../db/domains/domain-records.ts'
import { domainsOf, type DomainRow } from '../../db/domains/domains.ts'
import type { Context } from '../context.ts'
import { expectedRecords } from '../domain-records/expected-records.ts'
import type { Verb } from '../verb.ts'
import { domainOfPath } from './read-domain-name.ts'

export const getDomainReports: Verb<'getDomainReports'> = async (
  { db, settings, workspaceId },
  { params },
) => {
  const name = domainOfPath(params.name)
  const domain = existing(
    (await domainsOf(db, workspaceId)).find((row) => row.name === name) ?? null,
  )
  const of = { domain: name, days: reportDays, max: reportEntriesMax }
  const [days, sources, cutReports, ofTls, results, complaints, record] = await Promise.all([
    dmarcDays(db, workspaceId, of),
    dmarcSources(db, workspaceId, of),
    countCutReports(db, workspaceId, of),
    tlsDays(db, workspaceId, of),
    tlsResults(db, workspaceId, of),
    complaintSums(db, workspaceId, of),
    tlsRecord({ db, settings }, { workspaceId, domain }),
  ])
  const body: DomainReports = {
    object: 'domain_reports',
    name,
    dmarc: {
      days: days.map(({ day, ...counts }) => ({ day: dateOf(day), ...counts })),
      sources: sources.map(({ source, headerFrom, dkimDomain, spfDomain, ...rest }) => ({
        ...{
          source: source === '' ? null : source,
          header_from: headerFrom,
          dkim_domain: dkimDomain,
          spf_domain: spfDomain,
        },
        ...rest,
      })),
      cut_reports: cutReports,
    },
    tls: {
      days: ofTls.map(({ day, ...counts }) => ({ day: dateOf(day), ...counts })),
      results: results.map(({ policyDomain, host, ...rest }) => ({
        ...{ policy_domain: policyDomain, host: host === '' ? null : host },
        ...rest,
      })),
      record,
    },
    complaints: complaints.map(({ firstAt, lastAt, ...rest }) => ({
      ...rest,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
  }
  return { body }
}

/**
 * The TXT record that asks senders of bounces for reports (RFC 8460 3); null where mail does not
 * come to us.
 */
async function tlsRecord(
  { db, settings }: Pick<Context, 'db' | 'settings'>,
  { workspaceId, domain }: { workspaceId: number; domain: DomainRow },
): Promise<DomainReports['tls']['record']> {
  const record = expectedRecords(domain, [], settings).find(
    ({ purpose }) => purpose === 'tls_reports',
  )
  if (record === undefined) return null
  const { name, value } = record
  const tlsRow = (await domainRecordsOf(db, workspaceId, domain.name)).find(
    (row) => row.name === name && row.type === 'TXT',
  )
  return { name, value: tlsRow?.expected ?? value, is_found: tlsRow?.status === 'found' }
}

const dateOf = (day: Date): string => day.toISOString().slice(0, 10)
