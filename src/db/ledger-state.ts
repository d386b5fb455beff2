/** How the ledger stands as a whole: the operator's view over all workspaces, each counted through its own index. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface LaneLag {
  lane: string
  /** Seconds that the longest waiting workspace of a lane has been due; 0 when none is. */
  seconds: number
}

export function laneLags(db: Database): Promise<LaneLag[]> {
  return db.rows<LaneLag>(sql`
    select l.lane, coalesce(greatest(0, extract(epoch from facteur_now() - d.since)), 0)::float8 as seconds
    from (values ('transactional'), ('campaign'), ('feedback'), ('sign_up')) l (lane)
    left join lateral (select min(next_at) as since from due where lane = l.lane) d on true`)
}

export interface StateCount {
  lane: string
  state: 'pending' | 'leased' | 'in_doubt'
  rows: number
}

/** Recipient rows that are not settled. */
export function unsettledCounts(db: Database): Promise<StateCount[]> {
  return db.rows<StateCount>(sql`
    select l.lane, s.state, coalesce(sum(c.rows), 0)::int8 as rows
    from (values ('transactional'), ('campaign')) l (lane)
    cross join (values ('pending'), ('leased'), ('in_doubt')) s (state)
    left join workspace w on true
    left join lateral (
      select count(*) as rows from recipient where workspace_id = w.id and lane = l.lane and state = s.state and state <> 'settled'
    ) c on true
    group by l.lane, s.state`)
}

export interface DayCounts {
  handOffs: number
  bounces: number
  complaints: number
}

/** Today's hand-offs and what came of them, all workspaces together (UTC). */
export async function todaysCounts(db: Database): Promise<DayCounts> {
  const [row] = await db.rows<DayCounts>(sql`
    select coalesce(sum(d.hand_offs), 0)::int8 as "handOffs", coalesce(sum(d.bounces), 0)::int8 as bounces,
      coalesce(sum(d.complaints), 0)::int8 as complaints
    from workspace w join reputation_day d
      on d.workspace_id = w.id and d.epoch = w.reputation_epoch and d.day = (facteur_now() at time zone 'utc')::date`)
  return row ?? { handOffs: 0, bounces: 0, complaints: 0 }
}
