/** GET /retention: how long the workspace stores each class of data. */
import { retentionClasses, retentionClassNames } from '../../contract/retention.ts'
import type { AnswerOf } from '../../contract/operations.ts'
import { defaultLimitsFrom, workspaceRetention } from '../../db/retention/retention-limits.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'

export async function getRetention(
  ctx: Pick<CallContext, 'db' | 'workspaceId'>,
): Promise<AnswerOf<'getRetention'>> {
  const [limits, from] = await Promise.all([
    workspaceRetention(ctx.db, ctx.workspaceId),
    defaultLimitsFrom(ctx.db),
  ])
  const classes = retentionClassNames.map((name) => {
    const { days, ownDays, installationDays, before } = limits[name]
    return {
      ...{
        name,
        days,
        own_days: ownDays,
        installation_days: installationDays,
        days_min: retentionClasses[name].daysMin,
      },
      expired_before: before && rfc3339(before),
    }
  })
  return { body: { object: 'retention', defaults_from: from && rfc3339(from), classes } }
}
