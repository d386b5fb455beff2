/** Holds the rule that suspends a workspace and pauses a campaign (spec: Reputation), once for all statements. */
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'
import { fragment } from '../connection/fragment.ts'

/** The rate that is too high. */
export type ExceededRate = 'bounce_rate' | 'complaint_rate'

/**
 * The rate of a list `r` that is too high; null: none. A rate must exceed its limit, and both counts must reach their
 * minimums. `r` has `hand_offs`, `bounces`, `complaints`, and each of them with `_min`.
 */
export const exceededRate = fragment`case
          when r.hand_offs < r.hand_offs_min then null
          when r.bounces >= r.bounces_min and r.bounces > ${bounceRateMax} * r.hand_offs then 'bounce_rate'
          when r.complaints >= r.complaints_min and r.complaints > ${complaintRateMax} * r.hand_offs then 'complaint_rate' end`
