/**
 * Stores an image for a workspace's mails: identified by its content, without metadata, and
 * identical bytes only once.
 */
import { createHash } from 'node:crypto'
import { imageLimits } from '../../contract/workspace/images.ts'
import { imageByDigest, insertImage, lockImages } from '../../db/images/images.ts'
import { readImage, type Picture } from '../../ground/images/read-image.ts'
import { shapeError } from '../input/shape-error.ts'
import { refuseMisleading } from '../input/check-values.ts'
import { withinLimit } from '../input/within-limit.ts'
import { presentImage } from './present-image.ts'
import type { Verb } from '../verb.ts'

/**
 * Throws `validation_error` by `rule`: `image_type`, `image_side`, `image_pixels`, `images_bytes`,
 * `room.images`. The file is read to its limit by the entry point.
 */
export const addImage: Verb<'addImage'> = async (ctx, { file, query }) => {
  refuseMisleading(query.name, 'name')
  const picture = readImage(Buffer.concat(await Array.fromAsync(file)))
  if (!picture)
    throw shapeError([
      { path: 'file', rule: 'image_type', allowed: ['PNG', 'JPEG', 'GIF', 'WebP'] },
    ])
  checkSize(picture)
  const digest = createHash('sha256').update(picture.bytes).digest()
  return ctx.db.transaction(async (tx) => {
    const used = await lockImages(tx, ctx.workspaceId)
    const known = await imageByDigest(tx, ctx.workspaceId, digest)
    if (known) return { status: 200, body: presentImage(ctx, known) }
    if (used + picture.bytes.length > imageLimits.allBytesMax)
      throw shapeError([{ path: 'file', rule: 'images_bytes', limit: imageLimits.allBytesMax }])
    const row = await withinLimit(tx, ctx.workspaceId, 'images', () =>
      insertImage(tx, ctx.workspaceId, { id: ctx.makeId(), name: query.name, digest, ...picture }),
    )
    return { body: presentImage(ctx, row) }
  })
}

/** A few bytes can decompress to very many pixels in every reader's program. */
function checkSize({ width, height }: Picture): void {
  const { sideMax, pixelsMax } = imageLimits
  if (width === 0 || height === 0)
    throw shapeError([{ path: 'file', rule: 'image_side', limit: sideMax }])
  if (Math.max(width, height) > sideMax)
    throw shapeError([{ path: 'file', rule: 'image_side', limit: sideMax }])
  if (width * height > pixelsMax)
    throw shapeError([{ path: 'file', rule: 'image_pixels', limit: pixelsMax }])
}
