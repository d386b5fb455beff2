/**
 * How encryption went with the domains that mail goes to, counted by day (RFC 8460). All workspaces
 * together.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface TlsResultRow {
  /** The recipients' domain. Empty means many together. */
  domain: string
  policy: string
  result: string
  sessions: number
}

/** Adds to the counts of the day, UTC. */
export async function storeTlsResults(db: Database, rows: readonly TlsResultRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.count(sql`
    insert into tls_session as r (day, domain, policy, result, sessions)
    select (facteur_now() at time zone 'UTC')::date, l.domain, l.policy, l.result, l.sessions
    from unnest(${rows.map(({ domain }) => domain)}::text[], ${rows.map(({ policy }) => policy)}::text[],
      ${rows.map(({ result }) => result)}::text[], ${rows.map(({ sessions }) => sessions)}::bigint[])
      as l (domain, policy, result, sessions)
    order by l.domain, l.policy, l.result
    on conflict (day, domain, policy, result) do update set sessions = r.sessions + excluded.sessions`)
}

/** The sums of today, UTC, by policy and result. */
export function tlsResultsToday(db: Database): Promise<Omit<TlsResultRow, 'domain'>[]> {
  return db.rows(sql`
    select policy, result, sum(sessions)::float8 as sessions from tls_session
    where day = (facteur_now() at time zone 'UTC')::date group by policy, result order by policy, result`)
}

/** Failures of yesterday and today, UTC, by domain, the most frequent first. */
export function tlsFailures(db: Database, max: number): Promise<TlsResultRow[]> {
  return db.rows<TlsResultRow>(sql`
    select domain, policy, result, sum(sessions)::float8 as sessions from tls_session
    where day >= (facteur_now() at time zone 'UTC')::date - 1 and result <> 'success'
    group by domain, policy, result order by sessions desc, domain, policy, result limit ${max}`)
}

/** How many domains and sessions failed yesterday and today, UTC; `held`: domains with a policy. */
export function tlsFailureCounts(
  db: Database,
): Promise<{ domains: number; sessions: number; held: number }> {
  return db.onlyRow<{ domains: number; sessions: number; held: number }>(sql`
    select count(distinct domain)::int as domains, coalesce(sum(sessions), 0)::float8 as sessions,
      count(distinct domain) filter (where policy <> 'no-policy-found')::int as held
    from tls_session where day >= (facteur_now() at time zone 'UTC')::date - 1 and result <> 'success'`)
}
