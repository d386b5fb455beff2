/**
 * Counts of the whole ledger for the operator, over all workspaces: due work, unfinished recipients
 * and today's hand-offs.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

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

/**
 * Recipient rows without a final state, of both ledgers. Campaigns store the sums; leased
 * recipients lie between two marks, or are strays.
 */
export function unfinishedCounts(db: Database): Promise<StateCount[]> {
  return db.rows<StateCount>(sql`
    with campaigns as materialized (
      select coalesce(sum(p.pending - l.leased), 0)::int8 as pending,
        coalesce(sum(l.leased), 0)::int8 as leased,
        coalesce(sum(p.in_doubt), 0)::int8 as in_doubt
      from workspace w join campaign_run p on p.workspace_id = w.id and (p.pending > 0 or p.in_doubt > 0)
      cross join lateral (
        select (
          select count(*)
          from campaign_recipient r
          where r.workspace_id = w.id and r.campaign_id = p.campaign_id
            and r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to and r.state = 'leased'
        ) + (
          select count(*)
          from campaign_recipient r
          where r.workspace_id = w.id and r.campaign_id = p.campaign_id
            and r.next_at is not null and r.state = 'leased' and r.subscriber_id <= p.low_water
        ) as leased
      ) l
    )
    select 'transactional' as lane, s.state, coalesce(sum(c.rows), 0)::int8 as rows
    from (values ('pending'), ('leased'), ('in_doubt')) s (state)
    left join workspace w on true
    left join lateral (
      select count(*) as rows from recipient
      where workspace_id = w.id and lane = 'transactional' and state = s.state and state <> 'settled'
    ) c on true
    group by s.state
    union all
    select 'campaign', s.state, s.rows from campaigns c
    cross join lateral (values ('pending', c.pending), ('leased', c.leased),
      ('in_doubt', c.in_doubt)) s (state, rows)`)
}

export interface DayCounts {
  handOffs: number
  bounces: number
  complaints: number
}

/** Today's hand-offs and their outcomes, all workspaces together (UTC). */
export function todaysCounts(db: Database): Promise<DayCounts> {
  return db.onlyRow<DayCounts>(sql`
    select coalesce(sum(d.hand_offs), 0)::int8 as hand_offs, coalesce(sum(d.bounces), 0)::int8 as bounces,
      coalesce(sum(d.complaints), 0)::int8 as complaints
    from workspace w join reputation_day d
      on d.workspace_id = w.id and d.epoch = w.reputation_epoch
        and d.day = (facteur_now() at time zone 'utc')::date`)
}
