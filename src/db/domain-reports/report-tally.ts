/**
 * Counts the mails that came to the fixed addresses for reports, of the whole installation, for
 * `doctor` and the pages.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ReportTally {
  kind: string
  outcome: string
  /** Of the last thirty days. */
  mails: number
  lastAt: Date
}

/** Counts one mail, and deletes counts that nobody asks for any more. */
export async function countReport(
  db: Database,
  { kind, outcome }: { kind: string; outcome: string },
): Promise<void> {
  await db.count(sql`
    with old as (delete from report_tally where day < (select facteur_now() - interval '90 days'))
    insert into report_tally as t (kind, outcome, day, mails, last_at)
    select ${kind}::text, ${outcome}::text, date_trunc('day', at, 'UTC'), 1, at
    from (select facteur_now() as at) clock
    on conflict (kind, outcome, day) do update set mails = t.mails + 1, last_at = excluded.last_at`)
}

export function reportTallies(db: Database): Promise<ReportTally[]> {
  return db.rows<ReportTally>(sql`
    select kind, outcome, sum(mails)::float8 as mails, max(last_at) as last_at from report_tally
    where day >= (select facteur_now() - interval '30 days') group by kind, outcome order by kind, outcome`)
}
