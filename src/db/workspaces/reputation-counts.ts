/**
 * Holds how the reputation's counts are read and written: each admission reads today's row, and
 * each hand-off writes it. The newest end of an index leads to it
 * (docs/decisions/0052-a-held-horizon.md).
 */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { byNewestIndex, fromNewestEnd, movesSeldom } from '../../database/planner/moved-rows.ts'
import { countedOnceDays } from '../retention/lifetimes.ts'

const workspaceInIndex = byNewestIndex(fragment`workspace_id`)
const workspaceOfPInIndex = byNewestIndex(fragment`p.workspace_id`)

/** The counts of the last thirty days of workspace `w`, a row for each day. */
export const reputationSumsOfW = (workspaceId: number): Fragment => part`
          select hand_offs, bounces, complaints from reputation_day
          where workspace_id = ${workspaceId} and epoch = w.reputation_epoch
            and day > (select (facteur_now() at time zone 'utc')::date - 30)
            and day < (select (facteur_now() at time zone 'utc')::date)
          union all (
            select hand_offs, bounces, complaints from reputation_day ${fromNewestEnd}
            where ${workspaceInIndex} = ${workspaceId} and epoch = w.reputation_epoch
              and day = (select (facteur_now() at time zone 'utc')::date)
            order by moved_at desc limit 1)`

/**
 * The mailbox of an address: what follows `+` is its user's choice (RFC 5233), and in Gmail so are
 * dots. One contact may subscribe, and complain, with as many addresses as they like.
 */
export function mailboxOf(email: string): string {
  const [, user = '', domain = ''] = /^([^+@]+)(?:\+[^@]*)?@([^@]+)$/.exec(email) ?? []
  if (user === '') return email
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${user.replaceAll('.', '')}@gmail.com`
    : `${user}@${domain}`
}

/**
 * A list of a statement: each address of `addresses`, a query for `kind` and `email`, that did not
 * count in the last thirty days (semantics 1, Reputation). One recipient gets many mails, and may
 * bounce or complain of each.
 */
export const countedOnce = (workspaceId: number, addresses: Fragment): Fragment => part`
      insert into reputation_address as a (workspace_id, kind, email, counted_at)
      select ${workspaceId}::bigint, kind, email, (select facteur_now())
      from (${addresses}) n
      group by kind, email
      order by kind, email
      on conflict (workspace_id, kind, email) do update set counted_at = excluded.counted_at
      where excluded.counted_at - a.counted_at >= ${countedOnceDays} * interval '1 day'
      returning a.kind, a.email`

/**
 * Lists of a statement that add a line of `hand_offs`, `bounces` and `complaints` to today's
 * counts. The last list is open: the caller closes it.
 */
export const countsReputation = (
  workspaceId: number,
  counts: Fragment,
): Fragment => part`counts as materialized (${counts}
    ), today as materialized (
      select c.*, w.reputation_epoch as epoch, d.day, (
        select moved_at from reputation_day ${fromNewestEnd}
        where ${workspaceInIndex} = ${workspaceId} and epoch = w.reputation_epoch
          and day = d.day
        order by moved_at desc
        limit 1) as moved_at
      from counts c
      cross join (select (facteur_now() at time zone 'utc')::date as day) d
      join workspace w on w.id = ${workspaceId}
      where c.hand_offs > 0 or c.bounces > 0 or c.complaints > 0
    ), reputation as (
      update reputation_day p set hand_offs = p.hand_offs + t.hand_offs, bounces = p.bounces + t.bounces,
        complaints = p.complaints + t.complaints, ${movesSeldom}
      from today t
      -- Scalars, so that no plan joins the row's versions.
      where ${workspaceOfPInIndex} = ${workspaceId}
        and p.epoch = (select epoch from today) and p.day = (select day from today)
        and p.moved_at >= (select moved_at from today)
    ), first_of_day as (
      insert into reputation_day (workspace_id, epoch, day, hand_offs, bounces, complaints)
      select ${workspaceId}, epoch, day, hand_offs, bounces, complaints from today where moved_at is null
      on conflict (workspace_id, epoch, day) do update set
        hand_offs = reputation_day.hand_offs + excluded.hand_offs,
        bounces = reputation_day.bounces + excluded.bounces,
        complaints = reputation_day.complaints + excluded.complaints`
