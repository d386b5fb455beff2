/** Data of a workspace's overview: the mails of each day by status, and how far its set-up is. */
import { sql, type Database } from '../connection/connect.ts'

export interface MailCounts {
  delivered: number
  bounced: number
  complained: number
  failed: number
  waiting: number
}

export interface MailDayRow {
  /** `2026-11-21`, of UTC. */
  day: string
  /** Null: never counted. */
  counts: MailCounts | null
  /** How long ago it was counted; null: never. */
  ageSeconds: number | null
  /** 0 is today. */
  daysAgo: number
}

/** The last thirty days, the oldest first, as they were last counted. */
export function mailDays(db: Database, workspaceId: number): Promise<MailDayRow[]> {
  return db.rows<MailDayRow>(sql`
    select to_char(t.today - n, 'YYYY-MM-DD') as day, n as "daysAgo",
      extract(epoch from facteur_now() - m.counted_at)::float8 as "ageSeconds",
      case when m.day is not null then json_build_object('delivered', m.delivered, 'bounced', m.bounced, 'complained', m.complained,
        'failed', m.failed, 'waiting', m.waiting) end as counts
    from (select (facteur_now() at time zone 'utc')::date as today) t
    cross join generate_series(29, 0, -1) n
    left join mail_day m on m.workspace_id = ${workspaceId} and m.day = t.today - n
    order by n desc`)
}

/**
 * Gives this transaction the right to count a workspace, alone: many requests come at once where much was sent.
 * False: another one counts. A count that takes longer is given up.
 */
export function holdCounting(tx: Database, workspaceId: number, timeoutMs: number): Promise<boolean> {
  return tx.onlyValue<boolean>(sql`
    select pg_try_advisory_xact_lock(${countingLock}::int, hashint8(${workspaceId}::bigint)) as held,
      set_config('statement_timeout', ${String(timeoutMs)}, true)`)
}

/** Any number works that nothing else in this database locks. */
const countingLock = 7_305_203

/** How many failed mails of a campaign are counted one by one; for more (a cancelled list) the progress is exact enough. */
const failedCountedMax = 20_000

/** Counts a day again, stores the result and answers it. */
export function countMailDay(db: Database, workspaceId: number, day: string): Promise<MailCounts> {
  return db.onlyRow<MailCounts>(sql`
    insert into mail_day (workspace_id, day, delivered, bounced, complained, failed, waiting, counted_at)
    select ${workspaceId}, ${day}::date, coalesce(sum(delivered), 0), coalesce(sum(bounced), 0), coalesce(sum(complained), 0),
      coalesce(sum(failed), 0), coalesce(sum(total - delivered - bounced - complained - failed), 0), facteur_now()
    from (
      select count(*) as total, count(*) filter (where r.status = 'delivered') as delivered, count(*) filter (where r.status = 'bounced') as bounced,
        count(*) filter (where r.status = 'complained') as complained, count(*) filter (where r.status = 'failed') as failed
      from message m join recipient r on r.workspace_id = ${workspaceId} and r.message_id = m.id
      where m.workspace_id = ${workspaceId} and m.created_at >= ${day}::date at time zone 'utc'
        and m.created_at < (${day}::date + 1) at time zone 'utc' and m.refused_at is null and m.canceled_at is null and not m.notice
      union all
      -- A recipient that a cancelled campaign did not reach counts as no mail, as a cancelled single message does.
      select p.recipients - p.suppressed - greatest(t.cancelled, f.cancelled), t.delivered - t.complained, t.bounced, t.complained,
        case when f.looked > ${failedCountedMax} then greatest(0, p.failed - t.cancelled - t.bounced) else f.failed end
      from campaign c cross join lateral (
        select * from campaign_run where workspace_id = ${workspaceId} and campaign_id = c.id order by moved_at desc limit 1) p
      cross join lateral (
        select coalesce(sum(count) filter (where measure = 'delivered'), 0) as delivered, coalesce(sum(count) filter (where measure = 'bounced'), 0) as bounced,
          coalesce(sum(count) filter (where measure = 'complained'), 0) as complained,
          coalesce(sum(count) filter (where measure = 'cancelled'), 0) as cancelled
        from campaign_tally where workspace_id = ${workspaceId} and campaign_id = c.id and label = ''
          and measure = any (array['delivered', 'bounced', 'complained', 'cancelled'])
      ) t
      cross join lateral (
        select count(*) as looked, count(*) filter (where r.status = 'failed' and r.cause is distinct from 'cancelled') as failed,
          -- Also those from before the tally.
          count(*) filter (where r.status = 'failed' and r.cause = 'cancelled') as cancelled
        from (
          select subscriber_id from campaign_failure
          where workspace_id = ${workspaceId} and campaign_id = c.id and status = 'failed' limit ${failedCountedMax + 1}
        ) m join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = c.id and r.subscriber_id = m.subscriber_id
      ) f
      where c.workspace_id = ${workspaceId} and c.frozen_at >= ${day}::date at time zone 'utc' and c.frozen_at < (${day}::date + 1) at time zone 'utc'
    ) counted
    on conflict (workspace_id, day) do update set delivered = excluded.delivered, bounced = excluded.bounced,
      complained = excluded.complained, failed = excluded.failed, waiting = excluded.waiting, counted_at = excluded.counted_at
    returning delivered, bounced, complained, failed, waiting`)
}

export interface SetUpRow {
  domain: boolean
  key: boolean
  email: boolean
  webhook: boolean
  subscribers: boolean
}

/** Which of the first steps a workspace has done. */
export function setUpOf(db: Database, workspaceId: number): Promise<SetUpRow> {
  return db.onlyRow<SetUpRow>(sql`
    select exists (select from domain where workspace_id = ${workspaceId} and status = 'verified') as domain,
      exists (select from api_key where workspace_id = ${workspaceId} and revoked_at is null) as key,
      exists (select from message where workspace_id = ${workspaceId} and not notice and refused_at is null)
        or exists (select from campaign where workspace_id = ${workspaceId} and frozen_at is not null) as email,
      exists (select from webhook where workspace_id = ${workspaceId}) as webhook,
      exists (select from subscriber where workspace_id = ${workspaceId}) as subscribers`)
}
