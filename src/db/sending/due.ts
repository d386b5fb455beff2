/**
 * The due times of workspaces: an admission lowers one in its own transaction, and a worker raises
 * it under the row's lock.
 */
import { webhooksFrom, type ScannedWebhook } from '../webhooks/webhook-claims.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql, type Statement } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { scanOf, type ScannedCampaign } from './scanned-campaigns.ts'

/** The kinds of background work that are found by workspace. */
export const dueLanes = [
  'transactional',
  'campaign',
  'feedback',
  'subscribers',
  'sign_up',
  'webhook',
  'domain',
  'import',
  'bulk',
] as const
export type DueLane = (typeof dueLanes)[number]

/**
 * What processes tell each other: a lane has work; a call hands a single mail over itself, for
 * which campaigns make room and no worker looks; calls wait for captured mails; or a mail of a
 * workspace was captured.
 */
export type WakeUp = DueLane | 'single' | 'captures' | `captured:${number}`

/** Workspaces with work due now, the longest waiting first, without those of `leftOut`. */
export function dueWorkspaces(
  db: Database,
  lane: DueLane,
  max: number,
  leftOut: number[],
): Promise<number[]> {
  return db.column<number>(sql`
    select workspace_id from due
    where lane = ${lane} and next_at <= (select facteur_now()) and workspace_id <> all (${leftOut}::bigint[])
    order by next_at limit ${max}`)
}

/** Milliseconds until the next due time of a lane; null when nothing waits. */
export function msUntilDue(db: Database, lane: DueLane, leftOut: number[]): Promise<number | null> {
  return db.value<number>(sql`
    select (extract(epoch from min(next_at) - facteur_now()) * 1000)::float8 as ms from due
    where lane = ${lane} and workspace_id <> all (${leftOut}::bigint[])`)
}

/** Puts a workspace that had its turn and has more work behind the others that are due. */
export async function goBehind(db: Database, workspaceId: number, lane: DueLane): Promise<void> {
  await db.count(sql`
    update due set next_at = facteur_now()
    where workspace_id = ${workspaceId} and lane = ${lane} and next_at < facteur_now()`)
}

/** Where a look for due rows begins: behind the time that earlier ones have passed (claims.ts). */
export interface ScannedTo {
  /** Null means at the first row. */
  claimed: Date | null
  /**
   * Seconds until a look begins at the first row and finds all others: there is work then at the
   * latest.
   */
  fullInSeconds: number
}

/**
 * Sets when a workspace's ledger has work next, or deletes the row. A null `scanned` means all rows
 * are looked at. A first statement locks the row, which waits for every admission that touched it.
 * Only the statement after that sees their commits.
 */
export function raiseDue(
  db: Connection,
  workspaceId: number,
  lane: 'transactional' | 'campaign',
  scanned: ScannedTo | null = null,
): Promise<void> {
  return raise(db, workspaceId, lane, sql`select ${nextWork(workspaceId, lane, scanned)} as next`)
}

/**
 * Milliseconds until a workspace's ledger has work next, negative if it is late; null when it has
 * none.
 */
export function msUntilWork(
  db: Database,
  workspaceId: number,
  lane: 'transactional' | 'campaign',
  scanned: ScannedTo | null,
): Promise<number | null> {
  return db.value<number>(sql`
    select (extract(epoch from ${nextWork(workspaceId, lane, scanned)} - facteur_now())
      * 1000)::float8 as ms`)
}

const nextWork = (workspaceId: number, lane: string, scanned: ScannedTo | null): Fragment =>
  scanned === null
    ? part`least(
      (select min(next_at)
        from recipient
        where workspace_id = ${workspaceId} and lane = ${lane} and state = 'pending'),
      (select min(next_at)
        from recipient
        where workspace_id = ${workspaceId} and lane = ${lane} and state = 'leased'),
      (select min(next_at)
        from recipient
        where workspace_id = ${workspaceId} and lane = ${lane} and state = 'in_doubt')
    )`
    : part`least(
      (select min(next_at)
        from recipient
        where workspace_id = ${workspaceId} and lane = ${lane} and state = 'pending'
        and next_at > coalesce(${scanned.claimed}::timestamptz, '-infinity')),
      facteur_now() + make_interval(secs => ${scanned.fullInSeconds})
    )`

/**
 * The same for campaigns. One is due when it starts by schedule, opens, is checked, has due strays,
 * or may have lost a holder (checked each `careSeconds`). The looks for strays begin where the last
 * claims ended.
 */
export function raiseCampaignDue(
  db: Connection,
  workspaceId: number,
  careSeconds: number,
  scanned: readonly ScannedCampaign[] = [],
): Promise<void> {
  const next = sql`
    select min(case
      when c.status = 'scheduled' then c.scheduled_at
      when p.pending = 0 and c.pause_reason is distinct from 'restore' then facteur_now()
      when c.paused_at is not null then facteur_now() + make_interval(secs => ${careSeconds})
      when p.canary_left = 0 then coalesce(p.canary_checked_at, facteur_now() + interval '1 second')
      when c.canceled_at is null and p.claimed_to < p.last_id then p.opens_at
      else least(facteur_now() + make_interval(secs => ${careSeconds}),
        facteur_now() + make_interval(secs => l.full_in_seconds),
        (select min(next_at)
          from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = c.id and next_at is not null
          and next_at > coalesce(l.passed_to, '-infinity')))
      end) as next
    from campaign c ${scanOf(scanned)} left join lateral (
      select campaign_run.*
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = c.id
      order by moved_at desc
      limit 1) p
        on true
    where c.workspace_id = ${workspaceId} and c.status = any (array['scheduled', 'sending'])`
  return raise(db, workspaceId, 'campaign', next)
}

/** Up to when feedback was looked through, and when a look begins at the first row of each list. */
export interface ScannedFeedback {
  pendingTo: Date | null
  silentTo: Date | null
  fullInSeconds: number
}

/**
 * The same for feedback that is pending or awaited. A null `silenceSeconds` means silence never
 * means delivered. Deliveries that are assumed wait for others, since each raise leaves a row
 * version: a hundredth of that time. A null `scanned` means all rows are looked at.
 */
export function raiseFeedbackDue(
  db: Connection,
  workspaceId: number,
  silenceSeconds: number | null,
  scanned: ScannedFeedback | null = null,
): Promise<void> {
  const next = sql`
    select least(
      (select min(feedback_at)
        from captured_mail
        where workspace_id = ${workspaceId} and feedback_at is not null
        and feedback_at > coalesce(${scanned?.pendingTo}::timestamptz, '-infinity')),
      (select greatest(sent_at + make_interval(secs => ${silenceSeconds}::float8),
        facteur_now() + make_interval(secs => ${silenceSeconds}::float8 / 100))
        from recipient
        where workspace_id = ${workspaceId} and status = 'sent'
          and sent_at > coalesce(${scanned?.silentTo}::timestamptz, '-infinity')
        order by sent_at limit 1),
      (select min(next_at)
        from campaign_assumed_delivery
        where workspace_id = ${workspaceId} and ${silenceSeconds}::float8 is not null),
      facteur_now() + make_interval(secs => ${scanned?.fullInSeconds}::float8)
    ) as next`
  return raise(db, workspaceId, 'feedback', next)
}

/** The same for sign-ups that no worker has checked. */
export function raiseSignUpDue(db: Connection, workspaceId: number): Promise<void> {
  const next = sql`
    select min(next_at) as next from sign_up where workspace_id = ${workspaceId} and next_at is not null`
  return raise(db, workspaceId, 'sign_up', next)
}

/** The same for domains whose records are to be checked. */
export function raiseDomainDue(db: Connection, workspaceId: number): Promise<void> {
  const next = sql`select min(next_check_at) as next from domain where workspace_id = ${workspaceId}`
  return raise(db, workspaceId, 'domain', next)
}

/** The same for files that wait for import, or whose import may have lost its holder. */
export function raiseImportDue(db: Connection, workspaceId: number): Promise<void> {
  const next = sql`
    select min(next_at) as next from import_file where workspace_id = ${workspaceId} and next_at is not null`
  return raise(db, workspaceId, 'import', next)
}

/** The same for changes of many contacts that wait or go on. */
export function raiseBulkDue(db: Connection, workspaceId: number): Promise<void> {
  const next = sql`
    select min(next_at) as next from bulk_change where workspace_id = ${workspaceId} and next_at is not null`
  return raise(db, workspaceId, 'bulk', next)
}

/**
 * The same for subscribers that the search does not know yet. A transaction that adds subscribers
 * holds the row too, so this one waits for it.
 */
export function raiseSubscribersDue(db: Connection, workspaceId: number): Promise<void> {
  const next = sql`
    select coalesce(
      (select facteur_now() from subscriber_search_pending where workspace_id = ${workspaceId} limit 1),
      (select facteur_now()
        from subscriber_search
        where workspace_id = ${workspaceId} and traits is null
        limit 1)) as next`
  return raise(db, workspaceId, 'subscribers', next)
}

/**
 * The same for deliveries of enabled webhooks: due ones, and those that may have lost their holder.
 * A publishing transaction holds the row too. `fullInSeconds`: when a look begins at the first
 * delivery of each. Null if this one does.
 */
export function raiseWebhookDue(
  db: Connection,
  workspaceId: number,
  { scanned, fullInSeconds }: { scanned: readonly ScannedWebhook[]; fullInSeconds: number | null },
): Promise<void> {
  const next = sql`
    select least(min(d.next_at), facteur_now() + make_interval(secs => ${fullInSeconds}::float8)) as next
    from ${webhooksFrom(workspaceId, scanned)}
    left join lateral (
      select next_at from webhook_delivery
      where workspace_id = ${workspaceId} and webhook_id = w.id and next_at is not null and next_at > w.since
      order by next_at
      limit 1) d
        on true`
  return raise(db, workspaceId, 'webhook', next)
}

async function raise(
  db: Connection,
  workspaceId: number,
  lane: DueLane,
  work: Statement,
): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await tx.rows(
      sql`select 1 from due where workspace_id = ${workspaceId} and lane = ${lane} for update`,
    )
    // Another worker deleted the row. Later work is admitted with a new hint, which this worker
    // leaves alone.
    if (locked.length === 0) return
    const next = await tx.value<Date>(work)
    if (next) {
      // A workspace that has been due for a while goes behind those that have been due for longer.
      await tx.count(
        sql`
          update due
          set next_at = greatest(${next}::timestamptz, facteur_now())
          where workspace_id = ${workspaceId} and lane = ${lane}`,
      )
    } else {
      await tx.count(sql`delete from due where workspace_id = ${workspaceId} and lane = ${lane}`)
    }
  })
}
