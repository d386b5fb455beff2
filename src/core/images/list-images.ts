/** Lists a workspace's images, newest first. */
import { imagePage } from '../../db/images/images.ts'
import { askedPage, byCreation, pageOf } from '../input/cursor.ts'
import { presentImage } from './present-image.ts'
import type { Verb } from '../verb.ts'

export const listImages: Verb<'listImages'> = async (ctx, { query }) => {
  const page = askedPage(query, [ctx.workspaceId, 'images'])
  const rows = await imagePage(ctx.db, ctx.workspaceId, {
    max: page.max,
    before: page.before?.id ?? null,
  })
  return {
    body: pageOf(rows, { ...page, position: byCreation, show: (row) => presentImage(ctx, row) }),
  }
}
