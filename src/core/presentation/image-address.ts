/**
 * Encodes the public address of an image: it carries the workspace, to route the look-up, and the
 * content's digest, so it never changes.
 */
import type { Picture } from '../../ground/images/read-image.ts'

export const imageFolder = '/images/'

const workspaceBytes = 6
const digestBytes = 32

const endings = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const satisfies Record<Picture['type'], string>

/**
 * `abc….png`: 51 characters of the base64url alphabet (RFC 4648 5), and an extension for human
 * readers.
 */
export function writeImageName(key: ImageKey & { type: Picture['type'] }): string {
  const bytes = Buffer.alloc(workspaceBytes + digestBytes)
  bytes.writeUIntBE(key.workspaceId, 0, workspaceBytes)
  bytes.set(key.digest, workspaceBytes)
  return `${bytes.toString('base64url')}.${endings[key.type]}`
}

export interface ImageKey {
  workspaceId: number
  /** SHA-256 of its bytes. */
  digest: Buffer
}

/**
 * Returns null for a malformed name. The extension is only for human readers: the type is the
 * detected one.
 */
export function readImageName(name: string): ImageKey | null {
  const key = /^([\w-]{50}[\w-])\.(?:png|jpg|gif|webp)$/.exec(name)?.[1]
  if (key === undefined) return null
  const bytes = Buffer.from(key, 'base64url')
  // The last character has unused bits: other spellings are refused, so that an image has one
  // address.
  if (bytes.toString('base64url') !== key) return null
  return {
    workspaceId: bytes.readUIntBE(0, workspaceBytes),
    digest: bytes.subarray(workspaceBytes),
  }
}
