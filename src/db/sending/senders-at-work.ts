/**
 * The processes that hand mail over to mail hosts now, so that each takes its part of a
 * destination's connections. Each marks itself every few seconds in `provider_pace`, under a name
 * that no provider has; a process that is gone is soon left out.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

const name = 'connections to mail hosts'
/** A process whose mark is older is gone. */
const goneSeconds = 15

/**
 * Marks this process, and answers how many others there are, and how many of them come before it.
 */
export function markSender(
  db: Database,
  process: string,
): Promise<{ others: number; before: number }> {
  return db.onlyRow<{ others: number; before: number }>(sql`
    with gone as (
      delete from provider_pace
      where provider = ${name} and process <> ${process} and measured_at < facteur_now() - interval '1 hour'
    ), marked as (
      insert into provider_pace as p (provider, process, per_second, measured_at)
      values (${name}, ${process}, 0, facteur_now())
      on conflict (provider, process) do update set measured_at = excluded.measured_at
    )
    select count(*)::int as others, count(*) filter (where process < ${process})::int as before
    from provider_pace
    where provider = ${name} and process <> ${process}
      and measured_at > facteur_now() - make_interval(secs => ${goneSeconds})`)
}

/** Leaves at once, so that the others need not wait until the mark is old. */
export async function leaveSenders(db: Database, process: string): Promise<void> {
  await db.count(sql`delete from provider_pace where provider = ${name} and process = ${process}`)
}
