/** GET /audience/segments: lists the segments of a workspace by name. */
import { segmentsOf } from '../../../db/audience/segments/segments.ts'
import type { Verb } from '../../verb.ts'
import { presentSegments } from './present-segment.ts'

export const listSegments: Verb<'listSegments'> = async (ctx) => {
  const rows = await segmentsOf(ctx.db, ctx.workspaceId)
  return { body: { object: 'list', data: await presentSegments(ctx, rows) } }
}
