/** DELETE /audience/topics/{id}: deletes a topic that nothing unsent and no form is for. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { deleteTopicRow, isTopicInUse, lockTopic } from '../../../db/audience/topics.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'
import { findTopic } from './find-topic.ts'
import { presentTopic } from './present-topic.ts'

export const deleteTopic: Verb<'deleteTopic'> = async (ctx, { params }) => {
  const { workspaceId } = ctx
  const { id } = await findTopic(ctx, params.id)
  const row = await ctx.db.transaction(async (tx) => {
    // Drafts and forms lock the topic that they take up, so that none does so meanwhile.
    const topic = existing(await lockTopic(tx, workspaceId, id), { id })
    if (await isTopicInUse(tx, workspaceId, id))
      throw new ApiError('conflict', { reason: 'topic_in_use', name: topic.name })
    await deleteTopicRow(tx, workspaceId, id)
    await recordAuditEntry(tx, ctx, { act: 'topic.deleted', subject: topic.name })
    return topic
  })
  return { body: presentTopic(row) }
}
