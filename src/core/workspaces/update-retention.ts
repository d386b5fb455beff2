/** PATCH /retention: shortens how long the workspace stores its data, or takes a limit back. */
import { retentionClassNames } from '../../contract/retention.ts'
import type { Verb } from '../verb.ts'
import { getRetention } from './get-retention.ts'
import { setRetentionOfWorkspace } from './set-retention.ts'

export const updateRetention: Verb<'updateRetention'> = async (ctx, { body }) => {
  const changes = retentionClassNames.flatMap((name) => {
    const days = body[name]
    return days === undefined ? [] : [{ name, days }]
  })
  await setRetentionOfWorkspace(ctx, changes)
  return getRetention(ctx)
}
