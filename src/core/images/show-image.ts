/** A picture as the pages of its workspace see it. */
import type { Image } from '../../contract/workspace/images.ts'
import type { ImageRow } from '../../db/images.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../emails/read-time.ts'
import { imageFolder, writeImageName } from './image-address.ts'

export function showImage({ settings, workspaceId }: Pick<CallContext, 'settings' | 'workspaceId'>, row: ImageRow): Image {
  const { id, name, type, width, height, size, createdAt } = row
  const url = `${settings.baseUrl}${imageFolder}${writeImageName({ workspaceId, digest: row.digest, type })}`
  return { object: 'image', id, url, name, type, width, height, size, createdAt: rfc3339(createdAt) }
}
