/** Approves a request of another member, for exactly what it named. */
import { ApiError } from '../../contract/errors.ts'
import type { Database } from '../../database/client/database.ts'
import {
  lockApproval,
  markApproved,
  type ApprovalKey,
  type ApprovalRow,
  type ApprovingMember,
} from '../../db/approvals/approvals.ts'

export interface ApprovalDecision {
  by: ApprovingMember
  /** What the member read. */
  agreed: string
  /** What the operation would do now. */
  digest: string
  /** The addresses of those who last changed it: they approve no work of their own. */
  changedBy: readonly string[]
}

/**
 * In the caller's transaction, which keeps the subject from being changed. Returns the request.
 * Throws `conflict`.
 */
export async function approve(
  tx: Database,
  key: ApprovalKey,
  { by, agreed, digest, changedBy }: ApprovalDecision,
): Promise<ApprovalRow> {
  const refuse = (reason: string): never => {
    throw new ApiError('conflict', { id: key.subjectId, reason })
  }
  const request = (await lockApproval(tx, key)) ?? refuse('approval_not_asked')
  if (request.digest !== digest || agreed !== digest) refuse('approval_changed')
  if (request.askedBy === by.id) refuse('approval_own_request')
  if (changedBy.includes(by.email)) refuse('approval_own_change')
  if (!(await markApproved(tx, key, { digest, by }))) refuse('approval_not_asked')
  return request
}
