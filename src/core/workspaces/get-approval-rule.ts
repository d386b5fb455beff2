/** GET /settings/approval: which campaigns need an approval, and how many members may give it. */
import type { AnswerOf } from '../../contract/operations.ts'
import { isAtLeast } from '../../contract/roles.ts'
import { growthPercentDefault } from '../../contract/workspace/approval-rule.ts'
import { approvalRule } from '../../db/approvals/approval-rules.ts'
import { membersOf } from '../../db/users/memberships.ts'
import { approverRole, sendOperation } from '../approvals/operations.ts'
import type { CallContext } from '../context.ts'

export async function getApprovalRule({
  db,
  workspaceId,
}: Pick<CallContext, 'db' | 'workspaceId'>): Promise<AnswerOf<'getApprovalRule'>> {
  const rule = await approvalRule(db, workspaceId, sendOperation)
  const members = await membersOf(db, workspaceId)
  return {
    body: {
      object: 'approval_rule',
      above: rule?.above ?? null,
      growth_percent: rule?.growthPercent ?? growthPercentDefault,
      approvers: members.filter(({ role }) => isAtLeast(role, approverRole)).length,
    },
  }
}
