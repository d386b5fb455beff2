/**
 * Stored policies of transport security (MTA-STS, RFC 8461), shared by all processes: each is kept
 * for as long as its domain asked.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface StsPolicyRow {
  domain: string
  id: string
  mode: 'enforce' | 'testing' | 'none'
  mx: string[]
  /** Milliseconds until the policy expires. */
  lastsMs: number
  changedAt: string
}

/**
 * Valid policies that changed since `since` (null: all), in order. The list starts a little
 * earlier, since commits may come late.
 */
export function stsPoliciesSince(db: Database, since: string | null): Promise<StsPolicyRow[]> {
  return db.rows<StsPolicyRow>(sql`
    select domain, policy_id as id, mode, mx,
      (extract(epoch from expires_at - facteur_now()) * 1000)::float8 as lasts_ms,
      changed_at::text
    from sts_policy
    where changed_at > coalesce(${since}::timestamptz - interval '3 seconds', '-infinity')
      and expires_at > facteur_now()
    order by changed_at limit 100000`)
}

export async function storeStsPolicy(
  db: Database,
  policy: Pick<StsPolicyRow, 'domain' | 'id' | 'mode' | 'mx'> & { maxAgeSeconds: number },
): Promise<void> {
  const { domain, id, mode, mx, maxAgeSeconds } = policy
  await db.count(sql`
    insert into sts_policy (domain, policy_id, mode, mx, expires_at, changed_at)
    values (${domain}, ${id}, ${mode}, ${mx}::text[], facteur_now() + make_interval(secs => ${maxAgeSeconds}),
      facteur_now())
    on conflict (domain) do update set policy_id = excluded.policy_id, mode = excluded.mode, mx = excluded.mx,
      expires_at = excluded.expires_at, changed_at = excluded.changed_at`)
}
