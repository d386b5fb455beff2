/** Pictures that were asked for lately: a mail that leaves to thousands is opened by many at once, and all ask for the same few. */
import type { Database } from '../../db/connection/connect.ts'
import { imageBytes } from '../../db/images/images.ts'
import type { Picture } from '../../images/read-image.ts'
import type { ImageKey } from '../presentation/image-address.ts'

type Shown = Pick<Picture, 'type' | 'octets'>

/** Octets that are kept, all together. */
const keptMax = 64 * 1024 * 1024

/** Reads a picture, once for all who ask for it at the same time; null when there is none. What is there never changes. */
export function createImageCache(db: Database): (key: ImageKey) => Promise<Shown | null> {
  // In the order in which they were asked for last: those at the front make room.
  const kept = new Map<string, Shown>()
  const underWay = new Map<string, Promise<Shown | null>>()
  let octets = 0

  function keep(name: string, picture: Shown): void {
    kept.set(name, picture)
    octets += picture.octets.length
    for (const [oldest, { octets: itsOctets }] of kept) {
      if (octets <= keptMax) return
      kept.delete(oldest)
      octets -= itsOctets.length
    }
  }

  async function load(name: string, key: ImageKey): Promise<Shown | null> {
    try {
      const picture = await imageBytes(db, key)
      if (picture) keep(name, picture)
      return picture
    } finally {
      underWay.delete(name)
    }
  }

  return async (key) => {
    const name = `${key.workspaceId} ${key.digest.toString('base64')}`
    const picture = kept.get(name)
    if (picture) {
      kept.delete(name)
      kept.set(name, picture)
      return picture
    }
    const loading = underWay.get(name) ?? load(name, key)
    underWay.set(name, loading)
    return loading
  }
}
