/** The rules of a workspace: from which size on an operation needs a second member's approval. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ApprovalRule {
  /** An operation on more than so many needs an approval. */
  above: number
  /** By so many percent the number may be larger than the approved one. */
  growthPercent: number
}

/** Null: the operation needs no approval. */
export function approvalRule(
  db: Database,
  workspaceId: number,
  operation: string,
): Promise<ApprovalRule | null> {
  return db.row<ApprovalRule>(sql`
    select above, growth_percent
    from approval_rule
    where workspace_id = ${workspaceId} and operation = ${operation}`)
}

export async function setApprovalRule(
  tx: Database,
  workspaceId: number,
  operation: string,
  { above, growthPercent }: ApprovalRule,
): Promise<void> {
  await tx.count(sql`
    insert into approval_rule (workspace_id, operation, above, growth_percent)
    values (${workspaceId}, ${operation}, ${above}, ${growthPercent})
    on conflict (workspace_id, operation) do update
    set above = excluded.above, growth_percent = excluded.growth_percent`)
}

export async function deleteApprovalRule(
  tx: Database,
  workspaceId: number,
  operation: string,
): Promise<void> {
  await tx.count(
    sql`delete from approval_rule where workspace_id = ${workspaceId} and operation = ${operation}`,
  )
}
