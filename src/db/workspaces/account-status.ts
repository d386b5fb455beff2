/**
 * The account status of a workspace: its plan, its use of the month, and the reputation that may
 * suspend it.
 */
import { gmailDaysCounted, gmailSpamRateMax } from '../../contract/thresholds.ts'
import { fragment, part, rowShape } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { fromQuotaQ } from './quota-row.ts'
import { countedOnce, countsReputation, reputationSumsOfW } from './reputation-counts.ts'
import { exceededRateOfR, type ExceededRate } from './suspension-rule.ts'

export interface MonthRow {
  plan: string
  monthlyQuota: number | null
  /** By all workspaces that share the quota. */
  used: number
  resetsAt: Date
}

export interface AccountStatusRow extends MonthRow {
  name: string
  slug: string
  /** How many workspaces share the quota, this one among them. */
  sharing: number
  handOffs: number
  bounces: number
  complaints: number
  handOffsMin: number
  bouncesMin: number
  complaintsMin: number
  /** The rate that suspends its sending. Null if it may send. */
  exceeds: ExceededRate | null
  /**
   * Since when the workspace is notified of its suspension. Null if it had no notice, or one that
   * it may send again.
   */
  suspendedAt: Date | null
  /**
   * The day of Gmail's spam rate that suspends, or would with enough hand-offs. Null if none does.
   */
  gmail: { domain: string; day: string; spamRate: number; until: string } | null
}

const monthColumns = part`w.plan, p.monthly_quota, coalesce(q.used, 0) as used,
      (month.first + interval '1 month') at time zone 'utc' as resets_at`

const monthOfWorkspace = part`from workspace w join plan p on p.name = w.plan
    cross join lateral (select date_trunc('month', facteur_now() at time zone 'utc') as first) month
    left join lateral (
      select q.used
      ${fromQuotaQ({
        payer: fragment`coalesce(w.quota_of, w.id)`,
        month: fragment`month.first::date`,
      })}) q on true`

/** Plan and month alone: each call over the quota asks. */
export function monthOf(db: Database, workspaceId: number): Promise<MonthRow> {
  return db.onlyRow<MonthRow>(
    sql`select ${monthColumns} ${monthOfWorkspace} where w.id = ${workspaceId}`,
  )
}

/**
 * Plan, month and reputation of a workspace, as the check of a send would see them now. A running
 * campaign counts bounces at once and hand-offs a moment later (db/campaigns/campaign-work.ts);
 * `countsRunning` includes these hand-offs.
 */
export function accountStatus(
  db: Database,
  workspaceId: number,
  { countsRunning = false }: { countsRunning?: boolean } = {},
): Promise<AccountStatusRow> {
  return db.onlyRow<AccountStatusRow>(sql`
    select w.name, w.slug, ${monthColumns},
      1 + (select count(*)::int from workspace o where o.quota_of = coalesce(w.quota_of, w.id)) as sharing,
      r.hand_offs, r.bounces, r.complaints, r.hand_offs_min, r.bounces_min,
      r.complaints_min, ${exceededRateOfR} as exceeds, w.suspended_at,
      case when r.gmail_exceeds then g.rate end as gmail
    ${monthOfWorkspace}
    cross join lateral (
      select case when ${countsRunning}::boolean then (
        select coalesce(sum(p.handed_over - p.counted), 0)::int8
        from (select id from campaign where workspace_id = w.id and status = 'sending') c
        cross join lateral (
          select handed_over, counted
          from campaign_run ${fromNewestEnd}
          where workspace_id = w.id and campaign_id = c.id
          order by moved_at desc
          limit 1) p
      ) else 0 end as hand_offs
    ) running
    cross join lateral (
      select coalesce(sum(hand_offs), 0)::int8 + running.hand_offs as hand_offs,
        coalesce(sum(bounces), 0)::int8 as bounces,
        coalesce(sum(complaints), 0)::int8 as complaints, w.reputation_hand_offs_min as hand_offs_min,
        w.reputation_bounces_min as bounces_min, w.reputation_complaints_min as complaints_min,
        w.gmail_suspended_until > facteur_now() as gmail_exceeds
      from (${reputationSumsOfW(workspaceId)}) days
    ) r
    left join lateral (
      select json_build_object('domain', domain, 'day', day, 'spamRate', spam_rate,
        'until', to_char(w.gmail_suspended_until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as rate
      from postmaster_day
      where workspace_id = ${workspaceId} and spam_rate > ${gmailSpamRateMax}
        and day = (w.gmail_suspended_until at time zone 'utc')::date - 1 - ${gmailDaysCounted}::int
      order by spam_rate desc limit 1) g on true
    where w.id = ${workspaceId}`)
}

/**
 * An address, lower-cased, that bounced hard, or the mailbox of one that complained
 * (reputation-counts.ts).
 */
export interface CountedAddress {
  kind: 'bounce' | 'complaint'
  email: string
}

const countedList = rowShape<CountedAddress>('g', { text: ['kind', 'email'] })

/**
 * Counts towards today's reputation; answers the addresses that did not count lately
 * (reputation-counts.ts).
 */
export async function countReputation(
  tx: Database,
  workspaceId: number,
  { handOffs, addresses }: { handOffs: number; addresses: CountedAddress[] },
): Promise<CountedAddress[]> {
  const countedPart = part`select kind, email from ${countedList(addresses)}`
  return tx.rows<CountedAddress>(sql`
    with first as (${countedOnce(workspaceId, countedPart)}
    ), ${countsReputation(
      workspaceId,
      part`select ${handOffs}::bigint as hand_offs, count(*) filter (where kind = 'bounce') as bounces,
        count(*) filter (where kind = 'complaint') as complaints from first`,
    )}
    )
    select kind, email from first`)
}

/** Stores that the workspace was notified of its suspension. False if it was already. */
export function markSuspended(tx: Database, workspaceId: number): Promise<boolean> {
  return tx.changes(sql`
    update ${home}workspace
    set suspended_at = date_trunc('milliseconds', facteur_now())
    where id = ${workspaceId} and suspended_at is null`)
}

/** Stores that the workspace was notified that it may send again. False if it was already. */
export function markResumed(tx: Database, workspaceId: number): Promise<boolean> {
  return tx.changes(
    sql`
      update ${home}workspace set suspended_at = null where id = ${workspaceId} and suspended_at is not null`,
  )
}

/**
 * Begins a new reputation window: earlier counts no longer matter, nor Gmail's rates of today and
 * before.
 */
export async function beginReputationEpoch(db: Database, workspaceId: number): Promise<void> {
  await db.count(sql`
    update ${home}workspace
    set reputation_epoch = reputation_epoch + 1, reputation_began_at = (select facteur_now()),
      gmail_suspended_until = null
    where id = ${workspaceId}`)
}

/** Sets the minimums below which reputation suspends nothing; absent ones stay. */
export async function setReputationFloors(
  db: Database,
  workspaceId: number,
  floors: { handOffs: number | null; bounces: number | null; complaints: number | null },
): Promise<void> {
  await db.count(sql`
    update ${home}workspace
    set reputation_hand_offs_min = coalesce(${floors.handOffs}::int, reputation_hand_offs_min),
      reputation_bounces_min = coalesce(${floors.bounces}::int, reputation_bounces_min),
      reputation_complaints_min = coalesce(${floors.complaints}::int, reputation_complaints_min)
    where id = ${workspaceId}`)
}
