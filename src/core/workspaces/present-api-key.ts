/** Presents an API key without its secret. */
import type { ApiKey } from '../../contract/workspace/api-keys.ts'
import type { ApiKeyRow } from '../../db/workspaces/api-keys.ts'

export const presentApiKey = (row: ApiKeyRow): ApiKey => ({
  object: 'api_key',
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  status: row.revokedAt ? 'revoked' : row.isExpired ? 'expired' : 'active',
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  expires_at: row.expiresAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
})
