/** Adds up what TLS reports say, by domain, day, policy and host, and reads it. */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { ReportedDay } from './dmarc-sources.ts'

export interface ReportedTlsRow {
  policyDomain: string
  policy: 'sts' | 'tlsa' | 'no-policy-found' | 'other'
  /** Empty if the report does not say. */
  host: string
  /** `success`, or the kind of failure. */
  result: string
  sessions: number
}

/** Rows of a domain's day, with proof and without. */
export const tlsRowsMax = { proven: 500, unproven: 50 }

export function countTlsResults(
  tx: Database,
  workspaceId: number,
  { domain, begins, proven }: Omit<ReportedDay, 'reporter'>,
): Promise<number> {
  return tx.onlyValue<number>(sql`
    select count(*)::int as count from reported_tls_result
    where workspace_id = ${workspaceId} and domain = ${domain} and proven = ${proven}
      and day = date_trunc('day', to_timestamp(${begins}::float8), 'UTC')`)
}

/** No two rows of one call may have the same key. */
export async function addTlsResults(
  tx: Database,
  workspaceId: number,
  { domain, begins, reporter, proven }: ReportedDay,
  rows: ReportedTlsRow[],
): Promise<void> {
  const list = rowList(rows, 'r', {
    text: ['policyDomain', 'policy', 'host', 'result'],
    bigint: ['sessions'],
  })
  await tx.count(sql`
    insert into reported_tls_result as t
      (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result, sessions)
    select ${workspaceId}::bigint, ${domain}::text, date_trunc('day', to_timestamp(${begins}::float8), 'UTC'),
      ${reporter}::text, ${proven}::boolean,
      policy_domain, policy, host, result, sessions
    from ${list}
    on conflict (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result) do update
    set sessions = t.sessions + excluded.sessions`)
}

export interface TlsDay {
  day: Date
  succeeded: number
  failed: number
  unproven: number
}

export function tlsDays(
  db: Database,
  workspaceId: number,
  { domain, days }: { domain: string; days: number },
): Promise<TlsDay[]> {
  return db.rows<TlsDay>(sql`
    select day, coalesce(sum(sessions) filter (where proven and result = 'success'), 0)::float8 as succeeded,
      coalesce(sum(sessions) filter (where proven and result <> 'success'), 0)::float8 as failed,
      coalesce(sum(sessions) filter (where not proven), 0)::float8 as unproven
    from reported_tls_result
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (select facteur_now() - make_interval(days => ${days}))
    group by day order by day`)
}

export interface ReportedTlsSum extends ReportedTlsRow {
  proven: boolean
  reporters: string[]
}

/**
 * Of the last `days`: proven ones first, of each the failures, then those with the most sessions.
 */
export function tlsResults(
  db: Database,
  workspaceId: number,
  { domain, days, max }: { domain: string; days: number; max: number },
): Promise<ReportedTlsSum[]> {
  return db.rows<ReportedTlsSum>(sql`
    select policy_domain, policy, host, result, proven, sum(sessions)::float8 as sessions,
      (array_agg(distinct reporter))[1:10] as reporters
    from reported_tls_result
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (select facteur_now() - make_interval(days => ${days}))
    group by policy_domain, policy, host, result, proven
    order by proven desc, result = 'success', sessions desc, host, policy_domain limit ${max}`)
}
