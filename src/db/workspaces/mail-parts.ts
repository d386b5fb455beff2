/**
 * Counts the single messages of a day of a workspace by status, a thousand at a time. A day is one
 * of the workspace's time zone.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { limitTime } from '../../database/client/limit-time.ts'
import type { CountedDay } from './mail-days.ts'

/**
 * Gives this transaction the right to count a workspace, alone: many requests come at once where
 * much was sent. False means another one counts. A count that takes longer is given up.
 */
export async function holdCounting(
  tx: Database,
  workspaceId: number,
  timeoutMs: number,
): Promise<boolean> {
  await limitTime(tx, timeoutMs)
  return tx.onlyValue<boolean>(sql`
    select pg_try_advisory_xact_lock(${countingLock}::int, hashint8(${workspaceId}::bigint))`)
}

/** Any number works that nothing else in this database locks. */
const countingLock = 7_305_203

/** Messages of one part of a day. */
const partSize = 1_000

/** A part of a day that may have changed, or was never counted. */
export interface DuePart {
  fromId: string
  toId: string
  endsAt: Date
  /** The rest of the day, of which the part is the first messages. */
  isRest: boolean
}

/**
 * The part of a day that is to be counted next. Null if all are up to date. First what was never
 * counted, then the newest. Figures stay valid for a tenth of the age of their mails: feedback
 * comes within seconds, or within days. A mail is tried for two days, and reported as spam within
 * the week, so that no outcome changes afterwards. Later opens and clicks are left out.
 */
export function duePart(
  db: Database,
  workspaceId: number,
  { day, zone }: CountedDay,
): Promise<DuePart | null> {
  return db.row<DuePart>(sql`
    with whole as materialized (
      select ends_at, facteur_events_from(begins_at) as from_id, facteur_events_from(ends_at) as to_id
      from (
        select ${day}::date::timestamp at time zone ${zone}::text as begins_at,
          (${day}::date + 1)::timestamp at time zone ${zone}::text as ends_at) d
    ), former as (
      -- Parts of another zone's day overlap those of this one.
      delete from mail_part
      where workspace_id = ${workspaceId} and day = ${day}::date and zone <> ${zone}
    ), counted as materialized (
      select from_id, to_id, ends_at, counted_at, opens_tracked
      from mail_part
      where workspace_id = ${workspaceId} and day = ${day}::date and zone = ${zone}
    )
    select from_id, to_id, ends_at, is_rest from (
      select coalesce((select max(to_id::text) from counted)::uuid, from_id) as from_id, to_id, ends_at,
        true as is_rest, 1 as rank
      from whole
      union all
      select c.from_id, c.to_id, c.ends_at, c.to_id = w.to_id, 2 from counted c cross join whole w
      where c.opens_tracked is null or (c.counted_at < c.ends_at + interval '8 days'
        and facteur_now() - c.counted_at >= greatest(interval '5 seconds', (facteur_now() - c.ends_at) / 10))
    ) due
    where from_id < to_id
    order by rank, from_id desc limit 1`)
}

/**
 * Counts a part again and stores it. Each table is read from end to end of the part, without a
 * look-up for each message.
 */
export async function countMailPart(
  db: Database,
  workspaceId: number,
  { day, zone, fromId, toId, endsAt, isRest }: CountedDay & DuePart,
): Promise<void> {
  // 1. next, bound: the message that the part ends before; the end of the day where it is the rest.
  // 2. relayed: recipients whose first open came through a privacy relay.
  // 3. tracked: messages with tracking, which most have not.
  // 4. counts: the recipients by status.
  // 5. The part is stored, or stored again.
  await db.count(sql`
    with next as materialized (
      -- With the end of the day outside, so that no plan reads the whole day to sort it.
      select id, created_at from (
        select id, created_at
        from message
        where workspace_id = ${workspaceId} and id >= ${fromId} and ${isRest}
        order by id offset ${partSize} limit 1
      ) m where id < ${toId}
    ), bound as materialized (
      select coalesce((select id from next), ${toId}::uuid) as id,
        coalesce((select created_at from next), ${endsAt}::timestamptz) as at
    ), relayed as materialized (
      select count(*) filter (where visitor = 'relay') as count from (
        select distinct on (message_id, recipient_position) visitor from engagement
        -- An open has a later identifier than its mail.
        where workspace_id = ${workspaceId} and id >= ${fromId}
          and message_id >= ${fromId} and message_id < (select id from bound)
          and visitor <> 'scanner'
        order by message_id, recipient_position, at, id
      ) first
    ), tracked as materialized (
      select id, head #>> '{track,opens}' = 'true' as opens, head #>> '{track,clicks}' = 'true' as clicks
      from message
      where workspace_id = ${workspaceId} and id >= ${fromId} and id < (select id from bound)
        and head -> 'track' is not null
    ), counts as materialized (
      -- A list of its own: Citus writes no statement for a node that groups beside the parameter of
      -- the workspace.
      select count(*) filter (where status = 'delivered') as delivered,
        count(*) filter (where status = 'delivered' and delivered_by = 'silence') as assumed,
        count(*) filter (where status = 'bounced') as bounced,
        count(*) filter (where status = 'complained') as complained,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status in ('queued', 'sent')) as waiting,
        count(*) filter (where status in ('sent', 'delivered', 'bounced', 'complained')) as sent,
        count(opened_at) filter (where status in ('delivered', 'complained')) as opened,
        count(clicked_at) filter (where status in ('delivered', 'complained')) as clicked,
        count(*) filter (where status in ('delivered', 'complained') and opens) as opens_tracked,
        count(*) filter (where status in ('delivered', 'complained') and clicks) as clicks_tracked
      from recipient left join tracked on id = message_id
      where workspace_id = ${workspaceId} and message_id >= ${fromId} and message_id < (select id from bound)
        and message_id <> all (array(
          select id from message
          where workspace_id = ${workspaceId} and id >= ${fromId} and id < (select id from bound)
            and (refused_at is not null or canceled_at is not null or notice)))
    )
    insert into mail_part (workspace_id, day, zone, from_id, to_id, ends_at, delivered, assumed, bounced,
      complained, failed, waiting, sent, opened, opened_by_relay, clicked, opens_tracked, clicks_tracked,
      counted_at)
    select ${workspaceId}, ${day}::date, ${zone}::text, ${fromId}, b.id, b.at, delivered, assumed, bounced,
      complained, failed, waiting, sent, opened, least(r.count, opened), clicked, opens_tracked,
      clicks_tracked, facteur_now()
    from counts cross join relayed r cross join bound b
    on conflict (workspace_id, day, from_id) do update set to_id = excluded.to_id, zone = excluded.zone,
      ends_at = excluded.ends_at, delivered = excluded.delivered, assumed = excluded.assumed,
      bounced = excluded.bounced, complained = excluded.complained, failed = excluded.failed,
      waiting = excluded.waiting, sent = excluded.sent, opened = excluded.opened,
      opened_by_relay = excluded.opened_by_relay, clicked = excluded.clicked,
      opens_tracked = excluded.opens_tracked, clicks_tracked = excluded.clicks_tracked,
      counted_at = excluded.counted_at`)
}
