/**
 * The mails of each day of a workspace by status, as they are stored: the sum of its parts and its
 * campaigns. A day is one of the workspace's time zone.
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { messagesStoredSince } from '../retention/stored-since.ts'

export interface MailCounts extends Record<LaterCount, number | null> {
  delivered: number
  bounced: number
  complained: number
  failed: number
  waiting: number
}

/**
 * Counts that came later. Null if a part was counted by a version that did not have them.
 *
 * - `assumed`: of the delivered, no report says so, and no bounce came.
 * - `sent`: handed over.
 * - `opened`, `clicked`: at least once, by a contact or a relay; a scanner counts nowhere.
 * - `opened_by_relay`: of the opened, first through a privacy relay.
 * - `opens_tracked`, `clicks_tracked`: of those that arrived, with tracking.
 */
export type LaterCount =
  | ('assumed' | 'sent' | 'opened' | 'opened_by_relay' | 'clicked')
  | ('opens_tracked' | 'clicks_tracked')

export interface MailDayRow {
  /** `2026-11-21`, of the zone. */
  day: string
  /** IANA name of the workspace's time zone. */
  zone: string
  /** Null means never counted. */
  counts: MailCounts | null
  /**
   * How long ago it was counted. Null means never, for another zone, or by a version that counted
   * less.
   */
  ageSeconds: number | null
  /** It was counted when no outcome changed any more. */
  isFinal: boolean
  /** Its single messages are still stored: it can be counted again. */
  isStored: boolean
  /** 0 is today. */
  daysAgo: number
}

/** `MailCounts` of a row `m` of mail_day. */
const countsOfDay = fragment`json_build_object('delivered', m.delivered, 'assumed', m.assumed,
          'bounced', m.bounced, 'complained', m.complained, 'failed', m.failed, 'waiting', m.waiting,
          'sent', m.sent, 'opened', m.opened, 'opened_by_relay', m.opened_by_relay, 'clicked', m.clicked,
          'opens_tracked', m.opens_tracked, 'clicks_tracked', m.clicks_tracked)`

/**
 * The last days, the oldest first, as they were last counted. Days of another zone are counted
 * again while their messages are stored, and stay as they are afterwards.
 */
export function mailDays(db: Database, workspaceId: number, days: number): Promise<MailDayRow[]> {
  return db.rows<MailDayRow>(sql`
    select to_char(d.day, 'YYYY-MM-DD') as day, d.zone, d.days_ago, d.is_stored,
      m.counted_at >= (d.day + ${finalAfterDays}::int)::timestamp at time zone d.zone is true as is_final,
      case when m.opens_tracked is not null and m.zone = d.zone
        then extract(epoch from facteur_now() - m.counted_at)::float8 end as age_seconds,
      case when m.day is not null and (m.zone = d.zone or not d.is_stored)
        then ${countsOfDay} end as counts
    from (
      select t.zone, t.today - n as day, n as days_ago,
        coalesce((t.today - n)::timestamp at time zone t.zone >= t.stored_since, true) as is_stored
      from (
        select z.zone, (facteur_now() at time zone z.zone)::date as today,
          ${messagesStoredSince(workspaceId)} as stored_since
        from (select coalesce(time_zone, 'UTC') as zone from workspace where id = ${workspaceId}) z
      ) t
      cross join generate_series(${days}::int - 1, 0, -1) n
    ) d
    left join mail_day m on m.workspace_id = ${workspaceId} and m.day = d.day
    order by d.days_ago desc`)
}

/** A mail is tried for two days, and reported as spam within the week. */
const finalAfterDays = 10

/** A day that is counted, of a zone. */
export type CountedDay = Pick<MailDayRow, 'day' | 'zone'>

/**
 * How many failed mails of a campaign are counted one by one; for more (a cancelled list) the
 * progress is exact enough.
 */
const failedCountedMax = 1_000

/** Adds up a day and stores the result: its parts, and its campaigns by their counters. */
export async function sumMailDay(
  db: Database,
  workspaceId: number,
  { day, zone }: CountedDay,
): Promise<MailCounts> {
  await dropSummedParts(db, workspaceId, day)
  // 1. counted: what workers added up of single messages, part by part, and each campaign that was
  //    frozen on the day, by its run's progress and its tallies.
  // 2. summed: the day. A number that one of these does not have is null.
  // 3. The day is stored, or stored again.
  const { counts } = await db.onlyRow<{ counts: MailCounts }>(sql`
    with summed as materialized (
      select coalesce(sum(delivered), 0) as delivered,
        case when count(assumed) = count(*) then coalesce(sum(assumed), 0) end as assumed,
        case when count(sent) = count(*) then coalesce(sum(sent), 0) end as sent,
        case when count(sent) = count(*) then coalesce(sum(opened), 0) end as opened,
        case when count(sent) = count(*) then coalesce(sum(opened_by_relay), 0) end as opened_by_relay,
        case when count(sent) = count(*) then coalesce(sum(clicked), 0) end as clicked,
        case when count(opens_tracked) = count(*) then coalesce(sum(opens_tracked), 0) end as opens_tracked,
        case when count(opens_tracked) = count(*) then coalesce(sum(clicks_tracked), 0) end as clicks_tracked,
        coalesce(sum(bounced), 0) as bounced, coalesce(sum(complained), 0) as complained,
        coalesce(sum(failed), 0) as failed, coalesce(sum(waiting), 0) as waiting, facteur_now() as at
      from (
        select delivered, assumed, bounced, complained, failed, waiting, sent, opened, opened_by_relay,
          clicked, opens_tracked, clicks_tracked
        from mail_part
        where workspace_id = ${workspaceId} and day = ${day}::date
        union all
        select delivered, case when assumed is not null then greatest(0, least(assumed, delivered)) end,
          bounced, complained, failed, total - delivered - bounced - complained - failed,
          greatest(0, total - failed - unsent), opened, least(relayed, opened), clicked,
          case when track_opens then arrived else 0 end, case when track_clicks then arrived else 0 end
        from (
        -- A recipient that a cancelled campaign did not reach counts as no mail, as a cancelled single
        -- message does.
        select p.recipients - p.suppressed - greatest(t.cancelled, f.cancelled) as total,
          t.delivered - t.complained as delivered, t.assumed, t.bounced, t.complained,
          t.delivered as arrived, c.track_opens, c.track_clicks,
          p.pending + p.in_doubt as unsent, t.opened, t.relayed, t.clicked,
          case when f.counted > ${failedCountedMax} then greatest(0, p.failed - t.cancelled - t.bounced)
            else f.failed end as failed
        from campaign c cross join lateral (
          select campaign_run.*
          from campaign_run ${fromNewestEnd}
          where workspace_id = ${workspaceId} and campaign_id = c.id
          order by moved_at desc
          limit 1) p
        cross join lateral (
          select coalesce(sum(count) filter (where measure = 'delivered'), 0) as delivered,
            coalesce(sum(count) filter (where measure = 'bounced'), 0) as bounced,
            coalesce(sum(count) filter (where measure = 'complained'), 0) as complained,
            sum(count) filter (where measure = 'assumed') as assumed,
            coalesce(sum(count) filter (where measure = 'opened'), 0) as opened,
            coalesce(sum(count) filter (where measure = 'relayed'), 0) as relayed,
            coalesce(sum(count) filter (where measure = 'clicked'), 0) as clicked,
            coalesce(sum(count) filter (where measure = 'cancelled'), 0) as cancelled
          from campaign_tally where workspace_id = ${workspaceId} and campaign_id = c.id and label = ''
            and measure = any (array['delivered', 'assumed', 'bounced', 'complained', 'cancelled',
              'opened', 'relayed', 'clicked'])
        ) t
        cross join lateral (
          select count(*) as counted,
            count(*) filter (where r.status = 'failed' and r.cause is distinct from 'cancelled') as failed,
            -- Also those from before the tally.
            count(*) filter (where r.status = 'failed' and r.cause = 'cancelled') as cancelled
          from (
            select subscriber_id from campaign_failure
            where workspace_id = ${workspaceId} and campaign_id = c.id and status = 'failed'
            limit ${failedCountedMax + 1}
          ) m
            join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = c.id
              and r.subscriber_id = m.subscriber_id
        ) f
        where c.workspace_id = ${workspaceId}
          and c.frozen_at >= ${day}::date::timestamp at time zone ${zone}::text
          and c.frozen_at < (${day}::date + 1)::timestamp at time zone ${zone}::text
        ) campaigns
      ) counted
    )
    insert into mail_day as m (workspace_id, day, zone, delivered, assumed, bounced, complained, failed,
      waiting, sent, opened, opened_by_relay, clicked, opens_tracked, clicks_tracked, counted_at)
    select ${workspaceId}::bigint, ${day}::date, ${zone}::text, delivered, assumed, bounced, complained,
      failed, waiting, sent, opened, opened_by_relay, clicked, opens_tracked, clicks_tracked, at
    from summed
    on conflict (workspace_id, day) do update set zone = excluded.zone,
      delivered = excluded.delivered, assumed = excluded.assumed, bounced = excluded.bounced,
      complained = excluded.complained, failed = excluded.failed,
      waiting = excluded.waiting, sent = excluded.sent, opened = excluded.opened,
      opened_by_relay = excluded.opened_by_relay, clicked = excluded.clicked,
      opens_tracked = excluded.opens_tracked, clicks_tracked = excluded.clicks_tracked,
      counted_at = excluded.counted_at
    returning ${countsOfDay} as counts`)
  return counts
}

/**
 * Deletes parts of other days that are not counted again: those that a day has summed. A day that is
 * still being counted keeps its own.
 */
async function dropSummedParts(db: Database, workspaceId: number, day: string): Promise<void> {
  await db.count(sql`
    delete from mail_part p
    where workspace_id = ${workspaceId} and day < (facteur_now() at time zone 'utc')::date - 31
      and day <> ${day}::date and exists (
        select from mail_day d
        where d.workspace_id = ${workspaceId} and d.day = p.day and d.counted_at >= p.counted_at)`)
}
