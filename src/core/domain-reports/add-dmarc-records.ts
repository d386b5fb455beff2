/** Adds the records of a DMARC report to a domain's day. */
import {
  addDmarcSources,
  countDmarcSources,
  dmarcRowsMax,
  type DmarcSourceRow,
  type ReportedDay,
} from '../../db/domain-reports/dmarc-sources.ts'
import { verifyingKeys } from '../../db/domains/verifying-keys.ts'
import type { Database } from '../../database/client/database.ts'
import type { DmarcRecord, DmarcReport } from '../../mail/reports/dmarc-report.ts'

/**
 * Names that a report is looked up by: of each record the domain in From, and those between it and
 * the domain of the policy.
 */
const namesMax = 200
const labelsMax = 8

/**
 * The names that a verified domain may have, and the records of one that was found: mail from it,
 * and from subdomains of which no other domain of the workspace is nearer.
 */
export function namesOfRecords({ policyDomain, records }: DmarcReport): {
  names: string[]
  /** `own`: the names of all domains of its workspace that were found. */
  ofName(name: string, own: ReadonlySet<string>): DmarcRecord[]
} {
  const ofFrom = new Map<string, string[]>()
  for (const { headerFrom } of records) {
    // RFC 9989 4.10: the policy is of the domain in From, or of a parent.
    if (headerFrom === policyDomain || headerFrom.endsWith(`.${policyDomain}`))
      ofFrom.set(headerFrom, namesUpTo(headerFrom, policyDomain))
  }
  const names = [...new Set([policyDomain, ...[...ofFrom.values()].flat()])].slice(0, namesMax)
  return {
    names,
    ofName: (name, own) =>
      records.filter(
        ({ headerFrom }) => ofFrom.get(headerFrom)?.find((each) => own.has(each)) === name,
      ),
  }
}

function namesUpTo(from: string, policyDomain: string): string[] {
  const names = [from]
  for (let name = from; name !== policyDomain && names.length < labelsMax; names.push(name))
    name = name.slice(name.indexOf('.') + 1)
  return names
}

/** The largest sources keep a row each as far as the day has room; the others are added up. */
export async function addDmarcRecords(
  tx: Database,
  { workspaceId, day, records }: { workspaceId: number; day: ReportedDay; records: DmarcRecord[] },
): Promise<void> {
  const ours = await ownSelectors(tx, workspaceId, day.domain, records)
  const rows = sumOf(records.map((record) => toRow(record, day.domain, ours))).toSorted(
    (a, b) => b.messages - a.messages,
  )
  const room =
    (day.proven ? dmarcRowsMax.proven : dmarcRowsMax.unproven) -
    (await countDmarcSources(tx, workspaceId, day))
  const named = rows.slice(0, Math.max(0, room))
  const others = rows.slice(named.length).map((row) => ({
    ...row,
    source: '',
    headerFrom: day.domain,
    dkimDomain: null,
    spfDomain: null,
  }))
  const all = sumOf([...named, ...others])
  if (all.length > 0) await addDmarcSources(tx, workspaceId, day, all)
}

/** Mail that one of our keys signed left from here, whatever host it came from. */
async function ownSelectors(
  tx: Database,
  workspaceId: number,
  domain: string,
  records: DmarcRecord[],
): Promise<Set<string>> {
  const named = records.flatMap(({ signatures }) =>
    signatures.filter((signature) => signature.domain === domain),
  )
  const selectors = [...new Set(named.flatMap(({ selector }) => selector ?? []))].slice(0, namesMax)
  if (selectors.length === 0) return new Set()
  return new Set(
    (await verifyingKeys(tx, workspaceId, { domain, selectors })).map(({ selector }) => selector),
  )
}

function toRow(record: DmarcRecord, domain: string, ours: Set<string>): DmarcSourceRow {
  const { source, headerFrom, dkim, spf, disposition, messages, spfDomain, signatures } = record
  const own = signatures.find(
    (signature) =>
      signature.domain === domain && signature.selector !== null && ours.has(signature.selector),
  )
  const dkimDomain = (own ?? signatures[0])?.domain ?? null
  return {
    source,
    headerFrom,
    dkim,
    spf,
    disposition,
    ours: own !== undefined,
    dkimDomain,
    spfDomain,
    messages,
  }
}

/** Rows with one key become one. */
function sumOf(rows: DmarcSourceRow[]): DmarcSourceRow[] {
  const sums = new Map<string, DmarcSourceRow>()
  for (const row of rows) {
    const key = [row.source, row.headerFrom, row.dkim, row.spf, row.disposition, row.ours].join(' ')
    const known = sums.get(key)
    if (known) known.messages += row.messages
    else sums.set(key, { ...row })
  }
  return [...sums.values()]
}
