/** DNS records of domains as the checks found them. */
import type { RecordProblem } from '../../contract/workspace/domains.ts'
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export type RecordPurpose = 'dkim' | 'return_path' | 'spf' | 'dmarc' | 'tls_reports' | 'tracking'

/** `unanswered`: DNS did not answer, which says nothing of the record. */
export type RecordStatus = 'found' | 'wrong' | 'missing' | 'unanswered'

export interface DomainRecordRow {
  name: string
  type: string
  purpose: RecordPurpose
  status: RecordStatus
  found: string[]
  problem: RecordProblem | null
  /** The expected value, given the found one; null for checks before this was stored. */
  expected: string | null
  inUse: boolean
  /** Consecutive checks that did not find it, and seconds since the first of them. */
  misses: number
  missedSeconds: number | null
  /** Whether the workspace was notified that it is lost. */
  announced: boolean
  checkedAt: Date
}

export function domainRecordsOf(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<DomainRecordRow[]> {
  return db.rows<DomainRecordRow>(sql`
    select name, type, purpose, status, found, problem, expected, in_use, misses,
      extract(epoch from facteur_now() - missed_since)::float8 as missed_seconds,
        announced_at is not null as announced, checked_at
    from dns_record where workspace_id = ${workspaceId} and domain = ${domain}`)
}

/**
 * One record as a check found it; `missed`: definitely missing; `inUse` and `announced` as they are
 * from now on.
 */
export interface SeenRecord extends Omit<
  DomainRecordRow,
  'misses' | 'missedSeconds' | 'checkedAt'
> {
  expected: string
}

/**
 * Stores the found records of a domain, and deletes those that are not expected any more. Call it
 * with the domain's row locked.
 */
export async function storeSeenRecords(
  db: Database,
  workspaceId: number,
  domain: string,
  known: SeenRecord[],
): Promise<void> {
  await db.count(sql`
    delete from dns_record where workspace_id = ${workspaceId} and domain = ${domain}
      and (name, type) not in (select * from ${rowList(known, 's', { text: ['name', 'type'] })})`)
  for (const record of known) await keepSeen(db, workspaceId, domain, record)
}

function keepSeen(
  db: Database,
  workspaceId: number,
  domain: string,
  record: SeenRecord,
): Promise<number> {
  const { name, type, purpose, status, found: result, problem, expected, inUse, announced } = record
  const missed = status === 'wrong' || status === 'missing'
  return db.count(sql`
    insert into dns_record as r (workspace_id, domain, name, type, purpose, status, found, problem, expected,
      in_use, missed_since,
      misses, announced_at, checked_at)
    values (${workspaceId}, ${domain}, ${name}, ${type}, ${purpose}, ${status}, ${result}, ${problem},
      ${expected}, ${inUse},
      case when ${missed} then facteur_now() end, ${missed ? 1 : 0},
        case when ${announced} then facteur_now() end, facteur_now())
    on conflict (workspace_id, domain, name, type) do update set
      purpose = excluded.purpose, status = excluded.status, found = excluded.found,
        problem = excluded.problem,
      expected = excluded.expected, in_use = excluded.in_use,
      missed_since = case when excluded.status = 'found' then null
        when excluded.status = 'unanswered' then r.missed_since
        else coalesce(r.missed_since, excluded.missed_since) end,
      misses = case when excluded.status = 'found' then 0 when excluded.status = 'unanswered' then r.misses
        else r.misses + 1 end,
      announced_at = case when ${announced} then coalesce(r.announced_at, excluded.announced_at) end,
      checked_at = excluded.checked_at`)
}
