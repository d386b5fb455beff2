/** The pictures that a workspace keeps, newest first. */
import { limits } from '../../contract/limits.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { imagePage } from '../../db/images.ts'
import type { ImageRow } from '../../db/images.ts'
import type { CallContext } from '../context.ts'
import { pageOf, readCursor } from '../cursor.ts'
import { rfc3339 } from '../emails/read-time.ts'
import { showImage } from './show-image.ts'

export async function listImages(ctx: CallContext, { query }: InputOf<'listImages'>): Promise<AnswerOf<'listImages'>> {
  const { limit = limits.pageDefault } = query
  const binding = [ctx.workspaceId, 'images']
  const before = readCursor(query.cursor, binding)?.id ?? null
  const rows = await imagePage(ctx.db, ctx.workspaceId, { most: limit + 1, before })
  const place = (row: ImageRow) => ({ at: rfc3339(row.createdAt), id: row.id })
  return { body: pageOf(rows, { limit, binding, place, show: (row) => showImage(ctx, row) }) }
}
