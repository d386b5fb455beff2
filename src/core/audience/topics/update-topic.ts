/** PATCH /audience/topics/{id}: changes the words of a topic; what contacts chose stays. */
import { ApiError, existing } from '../../../contract/errors.ts'
import { isUniqueViolation } from '../../../database/client/database-errors.ts'
import { lockTopic, writeTopic } from '../../../db/audience/topics.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import type { Verb } from '../../verb.ts'
import { findTopic } from './find-topic.ts'
import { presentTopic } from './present-topic.ts'
import { readTopic } from './read-topic.ts'

export const updateTopic: Verb<'updateTopic'> = async (ctx, { params, body }) => {
  const { workspaceId } = ctx
  const { id } = await findTopic(ctx, params.id)
  const row = await ctx.db
    .transaction(async (tx) => {
      const before = existing(await lockTopic(tx, workspaceId, id), { id })
      const { name = before.name, description = before.description } = body
      const after = { ...before, ...readTopic({ name, description }) }
      await writeTopic(tx, workspaceId, after)
      const isRenamed = after.name !== before.name
      await recordAuditEntry(tx, ctx, {
        ...{ act: 'topic.changed', subject: after.name },
        ...(isRenamed && { details: { before: before.name, name: after.name } }),
      })
      return after
    })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error
      throw new ApiError('conflict', { reason: 'topic_exists', name: body.name ?? '' })
    })
  return { body: presentTopic(row) }
}
