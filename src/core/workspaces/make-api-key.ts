/** Makes a workspace's API key and stores its digest. */
import type { Scope } from '../../contract/scopes.ts'
import { insertApiKey } from '../../db/workspaces/api-keys.ts'
import type { Database } from '../../database/client/database.ts'
import type { MakeId } from '../../ground/ids.ts'
import { makeApiKeySecret } from '../read-key.ts'

export interface MadeKey {
  id: string
  name: string
  /** The beginning of the key, which may be shown again. */
  prefix: string
  key: string
  scopes: Scope[]
}

/** `expiresAt`: RFC 3339, or null for a key that never expires. */
export async function makeApiKey(
  ctx: { db: Database; makeId: MakeId },
  {
    workspaceId,
    name,
    scopes,
    expiresAt,
  }: { workspaceId: number; name: string; scopes: Scope[]; expiresAt: string | null },
): Promise<MadeKey> {
  const { key, prefix, digest } = makeApiKeySecret(workspaceId)
  const row = { id: ctx.makeId(), name, prefix, scopes }
  await insertApiKey(ctx.db, workspaceId, { ...row, digest, expiresAt })
  return { ...row, key }
}
