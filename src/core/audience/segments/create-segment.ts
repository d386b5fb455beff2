/** POST /audience/segments: stores a definition under a name. */
import { ApiError } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { insertSegment } from '../../../db/audience/segments/segments.ts'
import { recordAuditEntry } from '../../audit/record-audit-entry.ts'
import { mustBeLine } from '../../input/validate-words.ts'
import { withinLimit } from '../../input/within-limit.ts'
import type { Verb } from '../../verb.ts'
import { presentSegment } from './present-segment.ts'
import { readDefinition } from './read-definition.ts'
import { resolveDefinition } from './resolve-definition.ts'

export const createSegment: Verb<'createSegment'> = async (ctx, { body }) => {
  const { workspaceId } = ctx
  const name = mustBeLine(body.name, { path: 'name', max: segmentLimits.nameMax })
  const written = readDefinition(body.definition)
  const row = await ctx.db.transaction(async (tx) => {
    const { definition } = await resolveDefinition({ db: tx, workspaceId }, { written })
    const stored = await withinLimit(tx, workspaceId, 'segments', () =>
      insertSegment(
        tx,
        workspaceId,
        { id: ctx.makeId(), name, definition },
        ctx.user?.email ?? null,
      ),
    )
    if (stored === null) throw segmentExists(name)
    await recordAuditEntry(tx, ctx, { act: 'segment.created', subject: name })
    return stored
  })
  return { body: await presentSegment(ctx, row) }
}

export const segmentExists = (name: string): ApiError =>
  new ApiError('conflict', { reason: 'segment_exists', name })
