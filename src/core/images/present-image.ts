/** Presents an image to the pages of its workspace. */
import type { Image } from '../../contract/workspace/images.ts'
import type { ImageRow } from '../../db/images/images.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'
import { imageFolder, writeImageName } from '../presentation/image-address.ts'

export function presentImage(
  { settings, workspaceId }: Pick<CallContext, 'settings' | 'workspaceId'>,
  row: ImageRow,
): Image {
  const { id, name, type, width, height, size, createdAt } = row
  const url = `${settings.baseUrl}${imageFolder}${writeImageName({ workspaceId, digest: row.digest, type })}`
  return {
    object: 'image',
    id,
    url,
    name,
    type,
    width,
    height,
    size,
    createdAt: rfc3339(createdAt),
  }
}
