/** Which requirements of receivers a domain meets, as its last check found. */
import type {
  ComplianceReason,
  ComplianceRequirement,
  ComplianceState,
} from '../../contract/compliance.ts'
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ComplianceRecord {
  type: string
  name: string
  /** The value that would meet the requirement, given the present one. */
  value: string
}

export interface ComplianceRow {
  requirement: ComplianceRequirement
  state: ComplianceState
  reason: ComplianceReason
  details: Record<string, string | number>
  record: ComplianceRecord | null
}

/** `since`: when it came into this state. */
export function domainCompliance(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<(ComplianceRow & { since: Date })[]> {
  return db.rows(sql`
    select requirement, state, reason, details, record, since from domain_compliance
    where workspace_id = ${workspaceId} and domain = ${domain}`)
}

/**
 * Stores results that differ. A DNS that does not answer changes no known result: an outage says
 * nothing of a record. Call it with the domain's row locked.
 */
export async function storeCompliance(
  db: Database,
  workspaceId: number,
  domain: string,
  rows: ComplianceRow[],
): Promise<void> {
  const texts = rows.map((row) => ({
    ...row,
    details: JSON.stringify(row.details),
    record: row.record && JSON.stringify(row.record),
  }))
  await db.count(sql`
    with results as materialized (
      select n.*, facteur_now() as at
      from ${rowList(texts, 'n', { text: ['requirement', 'state', 'reason'], jsonb: ['details', 'record'] })}
    )
    insert into domain_compliance as c
      (workspace_id, domain, requirement, state, reason, details, record, since)
    select ${workspaceId}, ${domain}, requirement, state, reason, details, record, at from results
    on conflict (workspace_id, domain, requirement) do update set
      state = excluded.state, reason = excluded.reason,
      details = excluded.details, record = excluded.record,
      since = case when c.state = excluded.state then c.since else excluded.since end
    where excluded.reason <> 'dns_unanswered'
      and (c.state, c.reason, c.details, c.record)
        is distinct from (excluded.state, excluded.reason, excluded.details, excluded.record)`)
}
