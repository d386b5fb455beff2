/** `facteur plan …`: how many recipients a month a workspace may send to. */
import { setPlan } from '../../core/workspaces/set-plan.ts'
import { argument } from './parameters.ts'
import { shownNumber, printed } from './result.ts'
import { readMonthly, readNameFlag } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const planSet = defineWorkspaceCommand({
  name: 'plan set',
  summary: 'Put a workspace on a plan, defining it or changing its number',
  note: 'Changing a plan changes the number of every workspace on it. Workspaces that users made beside this one share its quota and move with it; a workspace that shared another’s quota has its own from then on. New workspaces begin on "default".',
  flags: {
    name: { ...argument("The plan's name.", readNameFlag), value: 'N' },
    monthly: {
      ...argument('Recipients a calendar month (UTC), or none for no limit.', readMonthly),
      value: 'N',
    },
  },
  examples: [
    'plan set --workspace acme --name pro --monthly 50000',
    'plan set --workspace acme --name default --monthly none',
  ],
  run: async (ctx, { name, monthly }) => {
    const { workspace } = ctx
    const monthlyQuota = monthly === 'none' ? null : monthly
    const { workspaces } = await setPlan(ctx, {
      workspaceId: workspace.id,
      plan: { name, monthlyQuota },
    })
    const allowed =
      monthlyQuota === null ? 'no limit' : `${shownNumber(monthlyQuota)} recipients a month`
    const others =
      workspaces > 1
        ? ` So ${workspaces === 2 ? 'is 1 other workspace' : `are ${shownNumber(workspaces - 1)} other workspaces`}.`
        : ''
    return printed(
      // A plan is known by its name.
      {
        id: name,
        name,
        monthly_quota: monthlyQuota,
        workspace_id: String(workspace.id),
        workspaces,
      },
      `${workspace.slug} is on the plan "${name}": ${allowed}.${others}`,
    )
  },
})

export const planCommands = [planSet]
