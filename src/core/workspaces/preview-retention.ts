/** GET /retention/preview: counts what a shorter limit would delete. */
import type { Verb } from '../verb.ts'
import { countDeleted } from './set-retention.ts'

export const previewRetention: Verb<'previewRetention'> = async (ctx, { query }) => {
  const { rows, isMore } = await countDeleted([ctx], {
    workspaceId: ctx.workspaceId,
    name: query.class,
    days: query.days,
  })
  return { body: { object: 'retention_preview', rows, is_more: isMore } }
}
