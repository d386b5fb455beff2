/**
 * Approvals: what one member asked another to approve, named by an operation, its subject and the
 * digest of all that it would do. They know nothing of the subject.
 */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ApprovalKey {
  workspaceId: number
  /** Such as `campaign.send`. */
  operation: string
  subjectId: string
}

export interface ApprovalRequest {
  digest: string
  /** What the rule counts, such as recipients. */
  quantity: number
  /** What else the request names. */
  details: object
}

export interface ApprovalRow extends ApprovalRequest {
  askedBy: string
  askedByEmail: string
  askedAt: Date
  /** Null, with the two below: nobody approved it. */
  approvedBy: string | null
  approvedByEmail: string | null
  approvedAt: Date | null
}

export interface ApprovingMember {
  id: string
  email: string
}

const columns = fragment`digest, quantity, details, asked_by, asked_by_email, asked_at, approved_by,
      approved_by_email, approved_at`

/** Whether the workspace demands approvals of the operation, or somebody asked for this one. */
export function concernsApproval(
  db: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (
        select from approval_rule where workspace_id = ${workspaceId} and operation = ${operation})
      or exists (
        select
        from approval
        where workspace_id = ${workspaceId} and operation = ${operation} and subject_id = ${subjectId})`)
}

export function approvalOf(
  db: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
): Promise<ApprovalRow | null> {
  return db.row<ApprovalRow>(sql`
    select ${columns}
    from approval
    where workspace_id = ${workspaceId} and operation = ${operation} and subject_id = ${subjectId}`)
}

/** The same, locked until the transaction ends: nobody takes it back meanwhile. */
export function lockApproval(
  tx: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
): Promise<ApprovalRow | null> {
  return tx.row<ApprovalRow>(sql`
    select ${columns}
    from approval
    where workspace_id = ${workspaceId} and operation = ${operation} and subject_id = ${subjectId}
    for share`)
}

/** In place of an earlier request, with the approval that it had. */
export async function storeApprovalRequest(
  tx: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
  { digest, quantity, details, by }: ApprovalRequest & { by: ApprovingMember },
): Promise<void> {
  await tx.count(sql`
    insert into approval (workspace_id, operation, subject_id, digest, quantity, details, asked_by,
      asked_by_email, asked_at)
    values (${workspaceId}, ${operation}, ${subjectId}, ${digest}, ${quantity},
      ${JSON.stringify(details)}::json, ${by.id}, ${by.email}, facteur_now())
    on conflict (workspace_id, operation, subject_id) do update
    set digest = excluded.digest, quantity = excluded.quantity, details = excluded.details,
      asked_by = excluded.asked_by, asked_by_email = excluded.asked_by_email,
      asked_at = excluded.asked_at, approved_by = null, approved_by_email = null, approved_at = null`)
}

/** False where the request is gone, approved, the member's own, or of another digest. */
export function markApproved(
  tx: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
  { digest, by }: { digest: string; by: ApprovingMember },
): Promise<boolean> {
  return tx.changes(sql`
    update approval
    set approved_by = ${by.id}, approved_by_email = ${by.email}, approved_at = facteur_now()
    where workspace_id = ${workspaceId} and operation = ${operation} and subject_id = ${subjectId}
      and digest = ${digest} and approved_at is null and asked_by <> ${by.id}`)
}

/** False where there is none. */
export function deleteApproval(
  tx: Database,
  { workspaceId, operation, subjectId }: ApprovalKey,
): Promise<boolean> {
  return tx.changes(sql`
    delete from approval
    where workspace_id = ${workspaceId} and operation = ${operation} and subject_id = ${subjectId}`)
}
