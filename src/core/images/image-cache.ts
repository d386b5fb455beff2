/**
 * Caches recently requested images: many readers open one mailing at once, and all request the same
 * few images.
 */
import { imageBytes } from '../../db/images/images.ts'
import type { Picture } from '../../ground/images/read-image.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service } from '../context.ts'
import type { ImageKey } from '../presentation/image-address.ts'

type Shown = Pick<Picture, 'type' | 'bytes'>

/** Bytes of all cached images together. */
const keptMax = 64 * 1024 * 1024

/**
 * Reads an image once for all concurrent requests; null when there is none. A stored image never
 * changes.
 */
export function createImageCache(service: Service): (key: ImageKey) => Promise<Shown | null> {
  // In the order of their last request: the oldest ones are evicted first.
  const cache = new Map<string, Shown>()
  const underWay = new Map<string, Promise<Shown | null>>()
  let bytes = 0

  function keep(name: string, picture: Shown): void {
    cache.set(name, picture)
    bytes += picture.bytes.length
    for (const [oldest, { bytes: itsBytes }] of cache) {
      if (bytes <= keptMax) return
      cache.delete(oldest)
      bytes -= itsBytes.length
    }
  }

  async function load(name: string, key: ImageKey): Promise<Shown | null> {
    try {
      const { db } = await ofWorkspace(service, key.workspaceId)
      const picture = await imageBytes(db, key)
      if (picture) keep(name, picture)
      return picture
    } finally {
      underWay.delete(name)
    }
  }

  return async (key) => {
    const name = `${key.workspaceId} ${key.digest.toString('base64')}`
    const picture = cache.get(name)
    if (picture) {
      cache.delete(name)
      cache.set(name, picture)
      return picture
    }
    const loading = underWay.get(name) ?? load(name, key)
    underWay.set(name, loading)
    return loading
  }
}
