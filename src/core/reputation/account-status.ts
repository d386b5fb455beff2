import type { ErrorDetails } from '../../contract/errors.ts'
import type { AccountStatusRow } from '../../db/workspaces/account-status.ts'
import { bounceRateMax, complaintRateMax } from '../../contract/thresholds.ts'

/** Whether a workspace may send, and the rates that decide it (spec: Reputation). */

/** A part of a whole, 0 to 1; of nothing it is 0. A bounce may be counted in a window that its hand-off has left. */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(1, part / whole))

/** What suspended a workspace's sending. */
export function suspensionDetails({ handOffs, bounces, complaints }: AccountStatusRow): ErrorDetails {
  return {
    hand_offs: handOffs,
    bounces,
    complaints,
    bounce_rate: share(bounces, handOffs),
    complaint_rate: share(complaints, handOffs),
  }
}

/** When a workspace that is suspended was told so; null a moment before, and while it is not. */
export const suspendedSince = (standing: AccountStatusRow): string | null =>
  sendingStatus(standing).status === 'suspended' ? (standing.suspendedAt?.toISOString() ?? null) : null

/** The rule of the hot statement (db/sending/admissions.ts), as it is shown: strictly above 5 % or 0.1 %, once the floors are reached. */
export function sendingStatus(standing: AccountStatusRow): {
  status: 'active' | 'suspended'
  bounce_rate: number
  complaint_rate: number
} {
  const { handOffs, bounces, complaints } = standing
  const suspended =
    handOffs >= standing.handOffsMin &&
    ((bounces >= standing.bouncesMin && bounces > bounceRateMax * handOffs) ||
      (complaints >= standing.complaintsMin && complaints > complaintRateMax * handOffs))
  return {
    status: suspended ? 'suspended' : 'active',
    bounce_rate: share(bounces, handOffs),
    complaint_rate: share(complaints, handOffs),
  }
}
