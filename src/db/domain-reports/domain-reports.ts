/**
 * Stores which DMARC and TLS reports came: each counts once, and a domain's day takes only so many.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Reports of a kind that a domain's day takes: those with proof, and those without, which anybody
 * can send.
 */
const [provenMax, unprovenMax] = [500, 50]

export interface NewDomainReport {
  domain: string
  /** Seconds since 1970: the report counts for the day, by UTC, on which it begins. */
  begins: number
  kind: 'dmarc' | 'tlsrpt'
  proven: boolean
  /** A digest of the reporter and its own identifier of the report. */
  digest: Buffer
  /** Whether it had more records than were read. */
  isCut: boolean
}

/**
 * Expects that the domain is locked. `repeated`: this report was stored before. `too_many`: the day
 * has its maximum.
 */
export async function insertDomainReport(
  tx: Database,
  workspaceId: number,
  { domain, begins, kind, proven, digest, isCut }: NewDomainReport,
): Promise<'stored' | 'repeated' | 'too_many'> {
  // The first byte keeps both apart: a report without proof neither repeats one with it, nor takes
  // its place.
  const key = Buffer.concat([Buffer.from([proven ? 1 : 0]), digest])
  const known = await tx.column<Buffer>(sql`
    select digest from domain_report
    where workspace_id = ${workspaceId} and domain = ${domain} and kind = ${kind}
      and day = date_trunc('day', to_timestamp(${begins}::float8), 'UTC')`)
  if (known.some((digestOf) => key.equals(digestOf))) return 'repeated'
  if (
    known.filter((digestOf) => digestOf[0] === key[0]).length >= (proven ? provenMax : unprovenMax)
  )
    return 'too_many'
  await tx.count(sql`
    insert into domain_report (workspace_id, domain, day, kind, digest, received_at, is_cut)
    values (${workspaceId}, ${domain}, date_trunc('day', to_timestamp(${begins}::float8), 'UTC'), ${kind},
      ${key}, facteur_now(), ${isCut})`)
  return 'stored'
}

/** DMARC reports of the domain that were cut: the page says that more was reported. */
export function countCutReports(
  db: Database,
  workspaceId: number,
  { domain, days }: { domain: string; days: number },
): Promise<number> {
  return db.onlyValue<number>(sql`
    select count(*)::int from domain_report
    where workspace_id = ${workspaceId} and domain = ${domain} and kind = 'dmarc' and is_cut
      and day > (select facteur_now() - make_interval(days => ${days}))`)
}
