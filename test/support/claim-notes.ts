/**
 * When the database gave a recipient to a worker, by a trigger of the test's own: no claim begins
 * once an address is suppressed.
 */
import { sql } from '../../src/database/client/sql.ts'
import { connectTo, onAllNodes, runOn } from './database.ts'
import type { FaultWorkspace } from './fault-world.ts'
import { until } from './until.ts'

export interface NoteClaims {
  table: 'recipient' | 'campaign_recipient'
  /** So that a claim of many is under way when calls come; `freezeClaims` holds it there. */
  slowly: boolean
}

/** The advisory lock that each row of a slow claim passes. */
const gate = 7

/** The database itself notes when a claim takes a row. */
export async function noteClaims(
  { url }: Pick<FaultWorkspace, 'url'>,
  { table, slowly }: NoteClaims,
): Promise<void> {
  // One after the other, and with a path of its own: a node of a cluster runs the trigger.
  await runOn(url, 'create table claim_note (email text not null, at timestamptz not null)')
  await runOn(
    url,
    `create function note_claim() returns trigger language plpgsql set search_path from current as $$
     begin
       ${slowly ? `perform pg_sleep(0.003), pg_advisory_xact_lock_shared(${gate});` : ''}
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

export interface FrozenClaims {
  /** Resolves with addresses of a claim once it waits at one of its rows. */
  addresses(): Promise<string[]>
  /** How many statements wait for others to end. */
  waiting(): Promise<number>
  letGo(): Promise<void>
}

/** From now on, a claim waits at its next row. */
export async function freezeClaims(
  { url }: Pick<FaultWorkspace, 'url'>,
  { table }: Pick<NoteClaims, 'table'>,
): Promise<FrozenClaims> {
  const client = await connectTo(url)
  // A claim of a cell on another node waits there.
  const nodes = await Promise.all(onAllNodes(url).map(connectTo))
  await Promise.all(nodes.map((node) => node.query(`select pg_advisory_lock(${gate})`)))
  const waitingFor = async (events: string[]): Promise<number> => {
    const counts = await Promise.all(
      nodes.map(async (node) => {
        const { rows } = await node.query<{ count: number }>(
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = any ($1)`,
          [events],
        )
        return rows[0]?.count ?? 0
      }),
    )
    return counts.reduce((sum, count) => sum + count)
  }
  return {
    async addresses() {
      await until(() => waitingFor(['advisory']))
      const { rows } = await client.query<{ email: string }>(
        `with free as materialized (select email from ${table} where state = 'pending' for update skip locked)
         select email from ${table} where state = 'pending' and email not in (select email from free)`,
      )
      return rows.map(({ email }) => email)
    },
    waiting: () => waitingFor(['transactionid', 'tuple']),
    async letGo() {
      await Promise.all([client, ...nodes].map((item) => item.end()))
    },
  }
}

/**
 * No recipient is claimed after the call that suppressed the address had answered. `answered`:
 * when, in milliseconds of the wall clock.
 */
export async function checkClaims(
  { db }: Pick<FaultWorkspace, 'db'>,
  answered: Map<string, number>,
): Promise<string[]> {
  const notes = await db.rows<{ email: string; ms: number }>(sql`
    select email, (extract(epoch from at) * 1000)::float8 as ms from claim_note`)
  return notes.flatMap(({ email, ms }) => {
    // The wall clock is read in whole milliseconds.
    const lateMs = ms - (answered.get(email) ?? Infinity) - 1
    return lateMs > 0
      ? [
          `${email} was claimed ${Math.round(lateMs)} ms after the call that suppressed it had answered`,
        ]
      : []
  })
}
