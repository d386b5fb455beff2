/**
 * Tells whether an approval counts now. It is compared with the present digest each time, so that
 * no writer has to remember it.
 */
import { isAtLeast, type Role } from '../../contract/roles.ts'
import type { Database } from '../../database/client/database.ts'
import type { ApprovalRow } from '../../db/approvals/approvals.ts'
import { roleOf } from '../../db/users/memberships.ts'

/**
 * `changed`: what it named is another now. `approver_left`: its member has gone, or may no longer
 * approve.
 */
export type ApprovalState = 'none' | 'asked' | 'approved' | 'changed' | 'approver_left'

/** `role`: what a member needs to approve. `changedBy` is as for `approve()`. */
export async function approvalState(
  db: Database,
  approval: ApprovalRow | null,
  {
    workspaceId,
    digest,
    changedBy,
    role,
  }: { workspaceId: number; digest: string; changedBy: readonly string[]; role: Role },
): Promise<ApprovalState> {
  if (approval === null) return 'none'
  if (approval.digest !== digest) return 'changed'
  if (approval.approvedBy === null) return 'asked'
  // The one who wrote it last has no second member.
  if (changedBy.includes(approval.approvedByEmail ?? '')) return 'changed'
  const present = await roleOf(db, workspaceId, approval.approvedBy)
  return present !== null && isAtLeast(present, role) ? 'approved' : 'approver_left'
}
