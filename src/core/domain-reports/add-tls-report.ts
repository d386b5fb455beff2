/** Adds the results of a TLS report to a domain's day. */
import {
  addTlsResults,
  countTlsResults,
  tlsRowsMax,
  type ReportedTlsRow,
} from '../../db/domain-reports/tls-results.ts'
import type { ReportedDay } from '../../db/domain-reports/dmarc-sources.ts'
import type { NamedDomain } from '../../db/domain-reports/named-domains.ts'
import type { Database } from '../../database/client/database.ts'
import type { TlsReport } from '../../mail/reports/tls-report.ts'

/**
 * What the host of a domain's return paths is called unless it has another name
 * (core/domain-records/expected-records.ts).
 */
const usualHost = 'bounce.'

/**
 * A policy is of a domain, or of the host of its return paths, which receives mail as a domain of
 * its own.
 */
export function hostsOfReport({ results }: TlsReport): { names: string[]; hosts: string[] } {
  const hosts = [...new Set(results.map(({ policyDomain }) => policyDomain))]
  return {
    names: hosts.flatMap((host) => [
      host,
      ...(host.startsWith(usualHost) ? [host.slice(usualHost.length)] : []),
    ]),
    hosts,
  }
}

/** As many rows as the day has room for; what is left out of a report is of its last policies. */
export async function addTlsReport(
  tx: Database,
  {
    workspaceId,
    day,
    report,
    domain: match,
  }: { workspaceId: number; day: ReportedDay; report: TlsReport; domain: NamedDomain },
): Promise<void> {
  const own = new Set([match.name, match.by, `${usualHost}${match.name}`])
  const sums = new Map<string, ReportedTlsRow>()
  for (const { policyDomain, policy, host, result, sessions } of report.results.filter((each) =>
    own.has(each.policyDomain),
  )) {
    const key = [policyDomain, policy, host, result].join(' ')
    const known = sums.get(key)
    if (known) known.sessions += sessions
    else sums.set(key, { policyDomain, policy, host: host ?? '', result, sessions })
  }
  const room =
    (day.proven ? tlsRowsMax.proven : tlsRowsMax.unproven) -
    (await countTlsResults(tx, workspaceId, day))
  const rows = [...sums.values()].slice(0, Math.max(0, room))
  if (rows.length > 0) await addTlsResults(tx, workspaceId, day, rows)
}
