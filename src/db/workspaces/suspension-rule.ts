/**
 * Holds the rule that suspends a workspace and pauses a campaign (spec: Reputation), once for all
 * statements.
 */
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'
import { fragment } from '../../database/client/fragment.ts'

/** The rate that is too high. */
export type ExceededRate = 'bounce_rate' | 'complaint_rate' | 'gmail_spam_rate'

/**
 * The rate of a list `r` that is too high. Null if there is none. A rate must exceed its limit, and
 * both counts must reach their minimums. `r` has `hand_offs`, `bounces`, `complaints`, and each of
 * them with `_min`.
 *
 * Gmail's spam rate comes without counts, and is never added to counted complaints: `gmail_exceeds`
 * says whether a day of it still suspends. The minimum of hand-offs is for it too, since the mail
 * of a domain may also leave by other services.
 */
export const exceededRateOfR = fragment`case
          when r.hand_offs < r.hand_offs_min then null
          when r.bounces >= r.bounces_min and r.bounces > ${bounceRateMax} * r.hand_offs then 'bounce_rate'
          when r.complaints >= r.complaints_min
          and r.complaints > ${complaintRateMax} * r.hand_offs then 'complaint_rate'
          when r.gmail_exceeds and r.hand_offs >= r.hand_offs_min then 'gmail_spam_rate' end`
