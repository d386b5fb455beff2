/** Presents whether a workspace may send, and the rates that decide it (spec: Reputation). */
import type { ErrorDetails } from '../../contract/errors.ts'
import type { GmailRate } from '../../contract/account.ts'
import type { AccountStatusRow } from '../../db/workspaces/account-status.ts'
import type { ExceededRate } from '../../db/workspaces/suspension-rule.ts'

/**
 * A share from 0 to 1; 0 without a divisor. It is capped, since a bounce may count in a window that
 * its hand-off has left.
 */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(1, part / whole)

/** The figures that suspended a workspace's sending. */
export function suspensionDetails(account: AccountStatusRow): ErrorDetails {
  const { handOffs, bounces, complaints, exceeds } = account
  return {
    suspended_by: exceeds,
    hand_offs: handOffs,
    bounces,
    complaints,
    bounce_rate: share(bounces, handOffs),
    complaint_rate: share(complaints, handOffs),
    gmail: gmailRate(account),
  }
}

/**
 * The day of Gmail's spam rate that suspends. Null if there is none, or too few mails were handed
 * over for it to count.
 */
export function gmailRate({ gmail, handOffs, handOffsMin }: AccountStatusRow): GmailRate | null {
  if (gmail === null || handOffs < handOffsMin) return null
  const { domain, day, spamRate, until } = gmail
  return { domain, day, spam_rate: spamRate, until }
}

/**
 * Since when the suspension is known to the workspace; null while it is not suspended, or not
 * notified yet.
 */
export const suspendedSince = (account: AccountStatusRow): string | null =>
  sendingStatus(account).status === 'suspended'
    ? (account.suspendedAt?.toISOString() ?? null)
    : null

/** The answer of the rule (db/workspaces/suspension-rule.ts), with the rates. */
export function sendingStatus({ exceeds, handOffs, bounces, complaints }: AccountStatusRow): {
  status: 'active' | 'suspended'
  suspended_by: ExceededRate | null
  bounce_rate: number
  complaint_rate: number
} {
  return {
    status: exceeds === null ? 'active' : 'suspended',
    suspended_by: exceeds,
    bounce_rate: share(bounces, handOffs),
    complaint_rate: share(complaints, handOffs),
  }
}
