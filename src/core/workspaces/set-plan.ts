/** Puts a workspace on a plan: a name and a monthly limit of recipients. */
import { countOnPlan, updatePlan as put, upsertPlan } from '../../db/workspaces/plans.ts'
import type { Context } from '../context.ts'

/**
 * Creates the plan, or changes its limit for all workspaces on it. `monthlyQuota`: recipients per
 * calendar month, null is no limit. Returns how many workspaces are on it now.
 */
export function setPlan(
  ctx: Pick<Context, 'db'>,
  {
    workspaceId,
    plan,
  }: { workspaceId: number; plan: { name: string; monthlyQuota: number | null } },
): Promise<{ workspaces: number }> {
  return ctx.db.transaction(async (tx) => {
    await upsertPlan(tx, plan.name, plan.monthlyQuota)
    await put(tx, workspaceId, plan.name)
    return { workspaces: await countOnPlan(tx, plan.name) }
  })
}
