/** PATCH /audience/segments/{id}: changes a segment; another definition is another version. */
import { isDeepStrictEqual } from 'node:util'
import { existing } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { isUniqueViolation } from '../../../database/client/database-errors.ts'
import { lockSegmentToChange, writeSegment } from '../../../db/audience/segments/segments.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { mustBeLine } from '../../input/validate-words.ts'
import type { Verb } from '../../verb.ts'
import { segmentExists } from './create-segment.ts'
import { presentSegment } from './present-segment.ts'
import { readDefinition } from './read-definition.ts'
import { resolveDefinition } from './resolve-definition.ts'

export const updateSegment: Verb<'updateSegment'> = async (ctx, { params: { id }, body }) => {
  const { workspaceId } = ctx
  const name =
    body.name === undefined
      ? undefined
      : mustBeLine(body.name, { path: 'name', max: segmentLimits.nameMax })
  const written = body.definition === undefined ? undefined : readDefinition(body.definition)
  const row = await ctx.db
    .transaction(async (tx) => {
      const before = existing(await lockSegmentToChange(tx, workspaceId, id), { id })
      const resolved = written && (await resolveDefinition({ db: tx, workspaceId }, { written }))
      const after = { ...before, name: name ?? before.name, ...resolved }
      const isChanged = !isDeepStrictEqual(after.definition, before.definition)
      if (!isChanged && after.name === before.name) return before
      const version = before.version + (isChanged ? 1 : 0)
      const changedBy = ctx.user?.email ?? null
      const stored = await writeSegment(tx, workspaceId, { ...after, version }, changedBy)
      const isRenamed = after.name !== before.name
      const details = { version, ...(isRenamed && { before: before.name, name: after.name }) }
      await recordAuditEntry(tx, ctx, { act: 'segment.changed', subject: after.name, details })
      return stored
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? segmentExists(name ?? '') : error
    })
  return { body: await presentSegment(ctx, row) }
}
