/** Makes an API key: shown this once, kept as a digest. */
import type { Scope } from '../../contract/scopes.ts'
import { insertApiKey } from '../../db/api-keys.ts'
import { makeKey } from '../dispatch/read-key.ts'
import type { Database } from '../../db/connect.ts'
import type { MakeId } from '../../ids.ts'

export interface CreatedKey {
  id: string
  name: string
  /** The beginning, which may be shown again. */
  prefix: string
  key: string
  scopes: Scope[]
}

/** `expiresAt`: RFC 3339, or null for a key that never expires. */
export async function createApiKey(
  ctx: { db: Database; makeId: MakeId },
  workspaceId: number,
  input: { name: string; scopes: Scope[]; expiresAt: string | null },
): Promise<CreatedKey> {
  const { key, prefix, digest } = makeKey(workspaceId)
  const created = { id: ctx.makeId(), name: input.name, prefix, scopes: input.scopes }
  await insertApiKey(ctx.db, workspaceId, { ...created, digest, expiresAt: input.expiresAt })
  return { ...created, key }
}
