/** GET /audience/segments/{id}: a segment with its definition. */
import { existing } from '../../../contract/errors.ts'
import { segmentById } from '../../../db/audience/segments/segments.ts'
import type { Verb } from '../../verb.ts'
import { presentSegment } from './present-segment.ts'

export const getSegment: Verb<'getSegment'> = async (ctx, { params: { id } }) => {
  const row = existing(await segmentById(ctx.db, ctx.workspaceId, id), { id })
  return { body: await presentSegment(ctx, row) }
}
