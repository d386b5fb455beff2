/** Revokes an API key: from then on it is answered as revoked, and never works again. */
import { apiKeysOf, revokeApiKey as revoke } from '../../db/api-keys.ts'
import type { ApiKeyRow } from '../../db/api-keys.ts'
import type { WorkspaceRow } from '../../db/workspaces.ts'
import { isId } from '../../ids.ts'
import type { Context } from '../context.ts'
import { walkWorkspaces } from './walk-workspaces.ts'

/** The key as it is now, and whose it is; null when no workspace has it. Revoking again changes nothing. */
export async function revokeApiKey(
  ctx: Pick<Context, 'db'>,
  id: string,
): Promise<{ workspace: WorkspaceRow; key: ApiKeyRow } | null> {
  if (!isId(id)) return null
  for await (const page of walkWorkspaces(ctx)) {
    for (const workspace of page) {
      if (!(await revoke(ctx.db, workspace.id, id))) continue
      const keys = await apiKeysOf(ctx.db, workspace.id)
      const key = keys.find((candidate) => candidate.id === id)
      if (key) return { workspace, key }
    }
  }
  return null
}
