/**
 * Counts complaints that came by mail, by domain, day and reporter: what anybody can send takes no
 * place of what is proven.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Reporters of a domain's day that are counted by name, those with a proven complaint and the
 * others: a stranger chooses the name. Further ones are counted together, as `others`.
 */
const reportersMax = 100
const otherReporters = 'others'

export interface ComplaintSum {
  reporter: string
  verified: number
  proven: number
  unverified: number
  firstAt: Date
  lastAt: Date
}

/**
 * `proven`: it is about a mail of ours, and a mailbox provider sent it. `verified`: only the
 * former. `unverified`: nothing is proven, and nothing changed.
 */
export type ComplaintProof = 'proven' | 'verified' | 'unverified'

export async function countComplaint(
  db: Database,
  workspaceId: number,
  { domain, reporter, proof }: { domain: string; reporter: string; proof: ComplaintProof },
): Promise<void> {
  await db.count(sql`
    with today as materialized (select facteur_now() as at, date_trunc('day', facteur_now(), 'UTC') as day),
    known as materialized (
      select d.reporter, d.proven > 0 as is_proven from complaint_day d cross join today
      where d.workspace_id = ${workspaceId} and d.domain = ${domain} and d.day = today.day
    ),
    named as materialized (
      select case
          when ${reporter}::text in (select reporter from known)
            or (select count(*) from known where is_proven = ${proof === 'proven'}) < ${reportersMax}
          then ${reporter}::text
          else ${otherReporters}::text end as reporter, at, day
      from today
    )
    insert into complaint_day as d
      (workspace_id, domain, day, reporter, verified, proven, unverified, first_at, last_at)
    select ${workspaceId}::bigint, ${domain}::text, day, reporter, ${proof === 'unverified' ? 0 : 1}::bigint,
      ${proof === 'proven' ? 1 : 0}::bigint, ${proof === 'unverified' ? 1 : 0}::bigint, at, at
    from named
    on conflict (workspace_id, domain, day, reporter) do update
    set verified = d.verified + excluded.verified, proven = d.proven + excluded.proven,
      unverified = d.unverified + excluded.unverified, last_at = excluded.last_at`)
}

/**
 * Of the last `days`, by reporter: proven ones first, then those about mail of ours, of each the
 * last one first.
 */
export function complaintSums(
  db: Database,
  workspaceId: number,
  { domain, days, max }: { domain: string; days: number; max: number },
): Promise<ComplaintSum[]> {
  return db.rows<ComplaintSum>(sql`
    select reporter, sum(verified)::float8 as verified, sum(proven)::float8 as proven,
      sum(unverified)::float8 as unverified, min(first_at) as first_at, max(last_at) as last_at
    from complaint_day
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (select facteur_now() - make_interval(days => ${days}))
    group by reporter
    order by sum(proven) > 0 desc, sum(verified) > 0 desc, max(last_at) desc, reporter
    limit ${max}`)
}
