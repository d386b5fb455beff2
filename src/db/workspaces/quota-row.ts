/**
 * The counter of a payer's month, which every admission debits. Statements find it by these parts
 * alone: at the newest end of its index (docs/decisions/0052-a-held-horizon.md).
 */
import { fragment, type Fragment } from '../../database/client/fragment.ts'
import { byNewestIndex, fromNewestEnd } from '../../database/planner/moved-rows.ts'

interface QuotaMonth {
  /** The workspace whose quota is used. */
  payer: Fragment
  /** The first day of the month. */
  month: Fragment
}

/** What follows `select …`: the counter as `q`. */
export const fromQuotaQ = ({ payer, month }: QuotaMonth): Fragment => fragment`
        from quota_usage q ${fromNewestEnd}
        where ${byNewestIndex(fragment`q.workspace_id`)} = ${payer} and q.month = ${month}
        order by q.moved_at desc
        limit 1`

/**
 * The counter `p` of an update, which had moved at `movedAt` when the statement began. All three are
 * scalars, so that no plan joins the row's versions.
 */
export const isQuotaP = ({
  payer,
  month,
  movedAt,
}: QuotaMonth & { movedAt: Fragment }): Fragment => fragment`
        ${byNewestIndex(fragment`p.workspace_id`)} = ${payer} and p.month = ${month}
        and p.moved_at >= ${movedAt}`
