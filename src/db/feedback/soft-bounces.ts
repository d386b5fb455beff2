/**
 * Addresses that are softly refused again and again: their mailboxes are full or abandoned, so
 * after a while they are suppressed.
 *
 * The ledger itself decides. A counter guards it and never counts fewer than the ledger holds. So
 * an address's lines are read only where the limit may be reached, and no delivery has to write the
 * counter.
 */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** Only the newest campaigns are read: identifiers grow with time. */
const campaignsMax = 500

/** Days after which mail that was handed over without any feedback has not come back. */
const unreportedDays = 14

export interface SoftBounce {
  email: string
  /** When the bounced mail was handed over. */
  handedOverAt: Date
}

/** How many soft bounces in a row, over how many days, suppress an address. */
export interface SoftBounceLimit {
  inARow: number
  days: number
}

/** Counts soft bounces; answers the addresses, each once, that may have reached the limit. */
export async function countSoftBounces(
  tx: Database,
  workspaceId: number,
  bounces: SoftBounce[],
  limit: SoftBounceLimit,
): Promise<string[]> {
  const rows = await tx.rows<{ email: string; isLate: boolean }>(sql`
    insert into soft_bounce as s (workspace_id, email, count, first_at)
    select ${workspaceId}::bigint, b.email, count(*), min(b.handed_over_at)
    from ${rowList(bounces, 'b', { text: ['email'], timestamptz: ['handedOverAt'] })}
    group by b.email order by b.email
    on conflict (workspace_id, email) do update set count = s.count + excluded.count,
      first_at = least(s.first_at, excluded.first_at)
    returning s.email, s.count >= ${limit.inARow}
      and s.first_at <= facteur_now() - make_interval(days => ${limit.days}) as is_late`)
  return rows.filter(({ isLate }) => isLate).map(({ email }) => email)
}

/**
 * Counts an address's consecutive soft bounces in the ledger, in the order of hand-offs, and
 * corrects the counter. A delivery ends the series. An assumed delivery does so only for mail
 * handed over later: mail handed over since may still come back. So does mail without any feedback,
 * once no bounce of it would be believed (core/feedback/next-status.ts). Answers whether the limit
 * is reached; then the counter is deleted.
 */
export function reachesSoftBounceLimit(
  tx: Database,
  workspaceId: number,
  email: string,
  limit: SoftBounceLimit,
): Promise<boolean> {
  return tx.onlyValue<boolean>(sql`
    with fates as materialized (
      select r.status, r.bounce, r.delivered_by = 'silence' and r.opened_at is null as is_silent,
        coalesce(r.sent_at, r.settled_at) as at
      from recipient r
      where r.workspace_id = ${workspaceId} and r.address_key = ${email}
      union all
      select r.status, r.bounce, r.delivered_by = 'silence' and r.opened_at is null,
        coalesce(r.sent_at, r.leased_until)
      from subscriber s
      cross join (select id
        from campaign
        where workspace_id = ${workspaceId}
        order by id desc
        limit ${campaignsMax}) c
      cross join lateral (
        select *
        from campaign_recipient
        where workspace_id = ${workspaceId} and campaign_id = c.id and subscriber_id = s.id) r
      where s.workspace_id = ${workspaceId} and s.email = ${email}
    ), soft as materialized (
      select at from fates where status = 'failed' and bounce = 'soft'
    ), ended as materialized (
      select max(at) as at from fates
      where status = 'delivered' and (is_silent is not true or at < (select max(at) from soft))
        or status = 'sent' and at < facteur_now() - make_interval(days => ${unreportedDays})
    ), run as materialized (
      select count(*)::int as count, min(at) as first_at
      from soft
      where at > coalesce((select at from ended), '-infinity')
    ), checked as materialized (
      select *, count >= ${limit.inARow}
        and first_at <= facteur_now() - make_interval(days => ${limit.days}) as reached
      from run
    ), corrected as (
      update soft_bounce s set count = j.count, first_at = coalesce(j.first_at, facteur_now())
      from checked j
      where s.workspace_id = ${workspaceId} and s.email = ${email} and not coalesce(j.reached, false)
    ), forgotten as (
      delete from soft_bounce s using checked j
      where s.workspace_id = ${workspaceId} and s.email = ${email} and j.reached
    )
    select coalesce(reached, false) as reached from checked`)
}
