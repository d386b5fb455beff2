/**
 * Checks the addresses for reports: how many came in thirty days and what became of them, and
 * whether customers' DMARC records may name ours. A domain of another organisation has to allow
 * that receivers send it reports (RFC 9990 4).
 */
import type { Database } from '../../../../database/client/database.ts'
import { reportTallies, type ReportTally } from '../../../../db/domain-reports/report-tally.ts'
import {
  reportAddresses,
  reportKinds,
  type ReportKind,
} from '../../../../mail/reports/report-addresses.ts'
import { passed, warned, type Check } from '../check.ts'
import type { DeliveryParts } from './dial-host.ts'

export async function checkReports(
  { config, resolver }: DeliveryParts,
  db: Database,
): Promise<Check[]> {
  const { inboundDomain } = config
  if (inboundDomain === null)
    return [passed('reports', 'not received: there is no domain that mail comes back to')]
  const tallies = await reportTallies(db)
  const counts = reportKinds.map(
    (kind) => `${reportAddresses[kind]}@${inboundDomain} ${describe(kind, tallies)}`,
  )
  // Any name in front of it: the record of customers' domains is the wildcard.
  const name = `*._report._dmarc.${inboundDomain}`
  const lookup = await resolver.resolve(name.replace('*', 'facteur-doctor.example'), 'TXT')
  const came = passed('reports', `in 30 days: ${counts.join('; ')}`)
  if (lookup.kind === 'failed')
    return [came, warned('report record', `DNS did not answer for ${name}`, 'Try again later.')]
  const allows =
    lookup.kind === 'found' && lookup.records.some((text) => /^v=DMARC1(?:;|$)/i.test(text.trim()))
  const mend = `Set ${name} TXT "v=DMARC1", once for all domains; without it receivers send no DMARC reports of other domains to dmarc@${inboundDomain}.`
  return [
    came,
    allows
      ? passed('report record', `${name} allows DMARC reports of all domains`)
      : warned('report record', `${name} has no record`, mend),
  ]
}

function describe(kind: ReportKind, tallies: ReportTally[]): string {
  const own = tallies.filter((tally) => tally.kind === kind)
  if (own.length === 0) return 'none'
  return own.map(({ outcome, mails }) => `${mails} ${outcome.replaceAll('_', ' ')}`).join(', ')
}
