/** The public address of a picture: it carries the workspace, so that a look-up is routed, and what the picture is, so that it never changes. */
import type { Picture } from '../../images/read-image.ts'

export const imageFolder = '/images/'

const workspaceBytes = 6
const digestBytes = 32

const endings = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' } as const satisfies Record<
  Picture['type'],
  string
>

/** `abc….png`: 51 characters of the base64url alphabet (RFC 4648 5), and an ending for those who look at it. */
export function writeImageName(key: ImageKey & { type: Picture['type'] }): string {
  const bytes = Buffer.alloc(workspaceBytes + digestBytes)
  bytes.writeUIntBE(key.workspaceId, 0, workspaceBytes)
  bytes.set(key.digest, workspaceBytes)
  return `${bytes.toString('base64url')}.${endings[key.type]}`
}

export interface ImageKey {
  workspaceId: number
  /** SHA-256 of its octets. */
  digest: Buffer
}

/** Null for what no picture can have. The ending is for people: the type is what we found it to be. */
export function readImageName(name: string): ImageKey | null {
  const key = /^([\w-]{50}[\w-])\.(?:png|jpg|gif|webp)$/.exec(name)?.[1]
  if (key === undefined) return null
  const bytes = Buffer.from(key, 'base64url')
  // The last character has bits to spare: one picture has one address.
  if (bytes.toString('base64url') !== key) return null
  return { workspaceId: bytes.readUIntBE(0, workspaceBytes), digest: bytes.subarray(workspaceBytes) }
}
