/** Lists a workspace's images, newest first. */
import { limits } from '../../contract/limits.ts'
import { imagePage } from '../../db/images/images.ts'
import type { ImageRow } from '../../db/images/images.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { rfc3339 } from '../input/read-time.ts'
import { presentImage } from './present-image.ts'
import type { Verb } from '../verb.ts'

export const listImages: Verb<'listImages'> = async (ctx, { query }) => {
  const { limit = limits.pageDefault } = query
  const binding = [ctx.workspaceId, 'images']
  const before = readCursor(query.cursor, binding)?.id ?? null
  const rows = await imagePage(ctx.db, ctx.workspaceId, { most: limit + 1, before })
  const place = (row: ImageRow) => ({ at: rfc3339(row.createdAt), id: row.id })
  return { body: pageOf(rows, { limit, binding, place, show: (row) => presentImage(ctx, row) }) }
}
