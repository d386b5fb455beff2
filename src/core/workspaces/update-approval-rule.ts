/** PATCH /settings/approval: changes which campaigns need an approval. */
import { growthPercentDefault } from '../../contract/workspace/approval-rule.ts'
import {
  approvalRule,
  deleteApprovalRule,
  setApprovalRule,
} from '../../db/approvals/approval-rules.ts'
import { lockWorkspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { sendOperation } from '../approvals/operations.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'
import { getApprovalRule } from './get-approval-rule.ts'

export const updateApprovalRule: Verb<'updateApprovalRule'> = async (ctx, { body }) => {
  const { workspaceId } = ctx
  await ctx.db.transaction(async (tx) => {
    const { name } = await lockWorkspaceSettings(tx, workspaceId)
    const before = await approvalRule(tx, workspaceId, sendOperation)
    const { above = before?.above ?? null } = body
    const growthPercent = body.growth_percent ?? before?.growthPercent ?? growthPercentDefault
    if (above === null) await deleteApprovalRule(tx, workspaceId, sendOperation)
    else await setApprovalRule(tx, workspaceId, sendOperation, { above, growthPercent })
    await recordAuditEntry(tx, ctx, {
      ...{ act: 'approval_rule.changed', subject: name },
      details: { above, before: before?.above ?? null, growth_percent: growthPercent },
    })
  })
  return getApprovalRule(ctx)
}
