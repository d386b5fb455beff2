/**
 * Handles DMARC and TLS reports that came by mail: stores what they say of domains that a workspace
 * here has verified, once each. Anybody can write a report, and it can be false, so it is shown
 * with its reporter and decides nothing. Whether its mail was signed by the reporter is stored with
 * it.
 */
import { createHash } from 'node:crypto'
import { lockDomain } from '../../db/domains/domains.ts'
import { insertDomainReport, type NewDomainReport } from '../../db/domain-reports/domain-reports.ts'
import { countReport } from '../../db/domain-reports/report-tally.ts'
import type { ReportedDay } from '../../db/domain-reports/dmarc-sources.ts'
import type { Database } from '../../database/client/database.ts'
import type { ReportMail } from '../../mail/reports/report-mail.ts'
import type { DmarcReport } from '../../mail/reports/dmarc-report.ts'
import type { TlsReport } from '../../mail/reports/tls-report.ts'
import type { Service } from '../context.ts'
import { findVerifiedDomains, type VerifiedDomain } from './find-verified-domains.ts'
import { proveReporter } from './prove-reporter.ts'
import { reporterOf } from './reporter-of.ts'
import { addDmarcRecords, namesOfRecords } from './add-dmarc-records.ts'
import { addTlsReport, hostsOfReport } from './add-tls-report.ts'

export type ReceivedDomainReport =
  | 'stored'
  | 'stored_unproven'
  | 'repeated'
  | 'too_many'
  /** It begins more than 40 days ago, or in the future. */
  | 'too_old'
  /** No workspace here has verified a domain that it names. */
  | 'unknown_domain'

/**
 * Days after its beginning in which a report is stored, and hours by which the reporter's clock may
 * be ahead.
 */
const [daysMax, aheadHours] = [40, 26]

/** Returns after the commit; throws when it could not commit. */
export async function receiveDmarcReport(
  ctx: Service,
  mail: ReportMail & { report: DmarcReport },
): Promise<ReceivedDomainReport> {
  const { names, ofName } = namesOfRecords(mail.report)
  const domains = await findVerifiedDomains(ctx, { names, hosts: [] })
  const namesOf = (workspaceId: number): Set<string> =>
    new Set(domains.flatMap((domain) => (domain.workspaceId === workspaceId ? [domain.name] : [])))
  return receive(ctx, mail, {
    ...{ kind: 'dmarc', domains, isCut: mail.report.isCut },
    add: (tx, { workspaceId, name }, day) =>
      addDmarcRecords(tx, { workspaceId, day, records: ofName(name, namesOf(workspaceId)) }),
  })
}

/** Returns after the commit; throws when it could not commit. */
export async function receiveTlsReport(
  ctx: Service,
  mail: ReportMail & { report: TlsReport },
): Promise<ReceivedDomainReport> {
  const hosts = hostsOfReport(mail.report)
  return receive(ctx, mail, {
    ...{ kind: 'tlsrpt', isCut: false },
    domains: await findVerifiedDomains(ctx, hosts),
    add: (tx, result, day) =>
      addTlsReport(tx, {
        workspaceId: result.workspaceId,
        day,
        report: mail.report,
        domain: result,
      }),
  })
}

interface Receiving {
  kind: NewDomainReport['kind']
  isCut: boolean
  domains: VerifiedDomain[]
  add(tx: Database, result: VerifiedDomain, day: ReportedDay): Promise<void>
}

async function receive(
  ctx: Service,
  mail: ReportMail & { report: { reportId: string; begins: number } },
  receiving: Receiving,
): Promise<ReceivedDomainReport> {
  const outcome = await store(ctx, mail, receiving)
  await countReport(ctx.databases.home.db, { kind: receiving.kind, outcome })
  return outcome
}

async function store(
  ctx: Service,
  mail: ReportMail & { report: { reportId: string; begins: number } },
  { kind, isCut, domains, add }: Receiving,
): Promise<ReceivedDomainReport> {
  const { reportId, begins } = mail.report
  const ageSeconds = ctx.clock.now().getTime() / 1000 - begins
  if (ageSeconds > daysMax * 86_400 || ageSeconds < -aheadHours * 3600) return 'too_old'
  if (domains.length === 0) return 'unknown_domain'
  const proven = await proveReporter(ctx, mail)
  const reporter = reporterOf(mail.reporter)
  const digest = createHash('sha256').update(`${reporter}\n${reportId}\n${begins}`).digest()
  const outcomes = new Set<Awaited<ReturnType<typeof insertDomainReport>>>()
  for (const result of onlyOnce(domains)) {
    const { name: domain, workspaceId } = result
    const outcome = await result.at.db.transaction(async (tx) => {
      // Concurrent reports on a domain count its rows one after the other.
      if (!(await lockDomain(tx, workspaceId, domain))) return 'repeated'
      const inserted = await insertDomainReport(tx, workspaceId, {
        domain,
        begins,
        kind,
        proven,
        digest,
        isCut,
      })
      if (inserted === 'stored') await add(tx, result, { domain, begins, reporter, proven })
      return inserted
    })
    outcomes.add(outcome)
  }
  if (outcomes.has('stored')) return proven ? 'stored' : 'stored_unproven'
  return outcomes.has('too_many') ? 'too_many' : 'repeated'
}

/** A domain may be found by its name and by its host. */
const onlyOnce = (domains: VerifiedDomain[]): VerifiedDomain[] => [
  ...new Map(domains.map((byKey) => [`${byKey.workspaceId} ${byKey.name}`, byKey])).values(),
]
