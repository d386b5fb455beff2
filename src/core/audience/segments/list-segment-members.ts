/** GET /audience/segments/{id}/members: the contacts of a segment, newest first. */
import { existing } from '../../../contract/errors.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { selectedPage } from '../../../db/audience/segments/segment-members.ts'
import { segmentById } from '../../../db/audience/segments/segments.ts'
import { askedPage, pageOf } from '../../input/cursor.ts'
import { presentSubscriber } from '../../presentation/present-subscriber.ts'
import type { Verb } from '../../verb.ts'
import { readSelected } from './select-contacts.ts'

const { countSecondsMax: seconds } = segmentLimits

/** A cursor holds the instant of the first page, so that no contact moves between two. */
export const listSegmentMembers: Verb<'listSegmentMembers'> = async (ctx, { params, query }) => {
  const { id, version, definition } = existing(
    await segmentById(ctx.db, ctx.workspaceId, params.id),
    params,
  )
  const page = askedPage(query, [ctx.workspaceId, 'segment_members', id, version])
  const firstPageAt = page.before === null ? undefined : new Date(page.before.at)
  return readSelected(ctx, {
    ...{ written: definition, at: firstPageAt, seconds },
    read: async (tx, selection) => {
      const at = selection.context.at.toISOString()
      const rows = await selectedPage(tx, selection, {
        ...{ max: page.max, before: page.before?.id ?? null, timeoutMs: seconds * 1_000 },
      })
      const positionOf = (row: { id: string }) => ({ at, id: row.id })
      return { body: pageOf(rows, { ...page, position: positionOf, show: presentSubscriber }) }
    },
  })
}
