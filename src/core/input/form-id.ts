/**
 * Encodes a form's public identifier: it carries the workspace, so that a look-up is routed; it is
 * no secret.
 */
import type { RowKey } from '../context.ts'

const WORKSPACE_BYTES = 6

/** 30 characters of the base64url alphabet (RFC 4648 5). */
export function writeFormId({ workspaceId, id }: RowKey): string {
  const bytes = Buffer.alloc(WORKSPACE_BYTES + 16)
  bytes.writeUIntBE(workspaceId, 0, WORKSPACE_BYTES)
  bytes.write(id.replaceAll('-', ''), WORKSPACE_BYTES, 'hex')
  return bytes.toString('base64url')
}

/** Returns null for a malformed identifier. */
export function readFormId(text: string): RowKey | null {
  if (!/^[\w-]{29}[AQgw]$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const id = bytes
    .toString('hex', WORKSPACE_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { workspaceId: bytes.readUIntBE(0, WORKSPACE_BYTES), id }
}
