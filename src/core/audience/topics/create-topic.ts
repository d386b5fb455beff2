/** POST /audience/topics: makes a topic, which contacts find on their page at once. */
import { ApiError } from '../../../contract/errors.ts'
import { insertTopic } from '../../../db/audience/topics.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { withinLimit } from '../../input/within-limit.ts'
import type { Verb } from '../../verb.ts'
import { presentTopic } from './present-topic.ts'
import { readTopic } from './read-topic.ts'

/** Throws `validation_error`, also beyond the limit, and `conflict` where another has the name. */
export const createTopic: Verb<'createTopic'> = async (
  ctx,
  { body: { name, description = null, default_subscription: byItself = 'opt_in' } },
) => {
  const topic = readTopic({ name, description })
  const row = await ctx.db.transaction(async (tx) => {
    const inserted = await withinLimit(tx, ctx.workspaceId, 'topics', () =>
      insertTopic(tx, ctx.workspaceId, {
        ...{ id: ctx.makeId(), ...topic },
        byDefault: byItself === 'opt_in',
      }),
    )
    if (!inserted) throw new ApiError('conflict', { reason: 'topic_exists', name: topic.name })
    await recordAuditEntry(tx, ctx, { act: 'topic.created', subject: topic.name })
    return inserted
  })
  return { body: presentTopic(row) }
}
