/** When the database gave a recipient to a worker, by a trigger of the test's own: no claim begins once an address is suppressed. */
import { sql } from '../../src/db/connection/sql.ts'
import { runOn } from './database.ts'
import type { FaultWorkspace } from './fault-world.ts'

export interface NoteClaims {
  table: 'recipient' | 'campaign_recipient'
  /** So that a claim of many is under way when calls come. */
  slowly: boolean
}

/** The database itself notes when a claim takes a row. */
export async function noteClaims({ url }: Pick<FaultWorkspace, 'url'>, { table, slowly }: NoteClaims): Promise<void> {
  // One after the other, and with a path of its own: a node of a cluster runs the trigger.
  await runOn(url, 'create table claim_note (email text not null, at timestamptz not null)')
  await runOn(
    url,
    `create function note_claim() returns trigger language plpgsql set search_path from current as $$
     begin
       ${slowly ? 'perform pg_sleep(0.003);' : ''}
       insert into claim_note values (new.email, clock_timestamp());
       return new;
     end $$`,
  )
  await runOn(
    url,
    `create trigger note_claim before update on ${table} for each row
       when (new.state = 'leased' and new.fence > old.fence) execute function note_claim()`,
  )
}

/**
 * No recipient is claimed after the call that suppressed the address had answered. `answered`: when, in milliseconds of the wall
 * clock.
 */
export async function checkClaims({ db }: Pick<FaultWorkspace, 'db'>, answered: Map<string, number>): Promise<string[]> {
  const notes = await db.rows<{ email: string; ms: number }>(sql`
    select email, (extract(epoch from at) * 1000)::float8 as ms from claim_note`)
  return notes.flatMap(({ email, ms }) => {
    // The wall clock is read in whole milliseconds.
    const lateMs = ms - (answered.get(email) ?? Infinity) - 1
    return lateMs > 0 ? [`${email} was claimed ${Math.round(lateMs)} ms after the call that suppressed it had answered`] : []
  })
}
