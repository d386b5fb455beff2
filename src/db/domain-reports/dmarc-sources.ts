/** Adds up what DMARC reports say, by domain, day and source, and reads it. */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface DmarcSourceRow {
  /** Empty means all beyond the limit of rows. */
  source: string
  headerFrom: string
  dkim: boolean
  spf: boolean
  disposition: 'none' | 'quarantine' | 'reject'
  ours: boolean
  dkimDomain: string | null
  spfDomain: string | null
  messages: number
}

/** The day of a domain, and who reports on it. */
export interface ReportedDay {
  domain: string
  /** Seconds since 1970. */
  begins: number
  reporter: string
  proven: boolean
}

/** Rows of a domain's day, with proof and without. */
export const dmarcRowsMax = { proven: 1_000, unproven: 100 }

export function countDmarcSources(
  tx: Database,
  workspaceId: number,
  { domain, begins, proven }: Omit<ReportedDay, 'reporter'>,
): Promise<number> {
  return tx.onlyValue<number>(sql`
    select count(*)::int as count from dmarc_source
    where workspace_id = ${workspaceId} and domain = ${domain} and proven = ${proven}
      and day = date_trunc('day', to_timestamp(${begins}::float8), 'UTC')`)
}

/** No two rows of one call may have the same key. */
export async function addDmarcSources(
  tx: Database,
  workspaceId: number,
  { domain, begins, reporter, proven }: ReportedDay,
  rows: DmarcSourceRow[],
): Promise<void> {
  const list = rowList(rows, 'r', {
    text: ['source', 'headerFrom', 'disposition', 'dkimDomain', 'spfDomain'],
    boolean: ['dkim', 'spf', 'ours'],
    bigint: ['messages'],
  })
  await tx.count(sql`
    insert into dmarc_source as s
      (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf, disposition, ours,
        dkim_domain, spf_domain, messages)
    select ${workspaceId}::bigint, ${domain}::text, date_trunc('day', to_timestamp(${begins}::float8), 'UTC'),
      ${reporter}::text, ${proven}::boolean,
      source, header_from, dkim, spf, disposition, ours, dkim_domain, spf_domain, messages
    from ${list}
    on conflict
      (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf, disposition, ours)
    do update set messages = s.messages + excluded.messages, dkim_domain = excluded.dkim_domain,
      spf_domain = excluded.spf_domain`)
}

export interface DmarcDay {
  day: Date
  passed: number
  failed: number
  /** Of reports without proof, whatever they say. */
  unproven: number
}

/** Days with reports of the last `days`, the oldest first. */
export function dmarcDays(
  db: Database,
  workspaceId: number,
  { domain, days }: { domain: string; days: number },
): Promise<DmarcDay[]> {
  return db.rows<DmarcDay>(sql`
    select day, coalesce(sum(messages) filter (where proven and (dkim or spf)), 0)::float8 as passed,
      coalesce(sum(messages) filter (where proven and not (dkim or spf)), 0)::float8 as failed,
      coalesce(sum(messages) filter (where not proven), 0)::float8 as unproven
    from dmarc_source
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (select facteur_now() - make_interval(days => ${days}))
    group by day order by day`)
}

export interface DmarcSource extends Omit<DmarcSourceRow, 'dkim' | 'spf' | 'disposition'> {
  proven: boolean
  /** Messages that passed by each. */
  dkim: number
  spf: number
  /** That passed by one of them. */
  passed: number
  quarantined: number
  rejected: number
  reporters: string[]
}

/** Sources of the last `days`: proven ones first, of each those with the most messages. */
export function dmarcSources(
  db: Database,
  workspaceId: number,
  { domain, days, max }: { domain: string; days: number; max: number },
): Promise<DmarcSource[]> {
  return db.rows<DmarcSource>(sql`
    select source, header_from, proven, ours, max(dkim_domain) as dkim_domain, max(spf_domain) as spf_domain,
      sum(messages)::float8 as messages,
      coalesce(sum(messages) filter (where dkim), 0)::float8 as dkim,
      coalesce(sum(messages) filter (where spf), 0)::float8 as spf,
      coalesce(sum(messages) filter (where dkim or spf), 0)::float8 as passed,
      coalesce(sum(messages) filter (where disposition = 'quarantine'), 0)::float8 as quarantined,
      coalesce(sum(messages) filter (where disposition = 'reject'), 0)::float8 as rejected,
      (array_agg(distinct reporter))[1:10] as reporters
    from dmarc_source
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (select facteur_now() - make_interval(days => ${days}))
    group by source, header_from, proven, ours
    order by proven desc, messages desc, source, header_from limit ${max}`)
}
