/** API keys: the stored data of each, which never includes the key itself. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface ApiKeyRow {
  id: string
  name: string
  prefix: string
  scopes: string[]
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  /** It has expired. */
  isExpired: boolean
}

const keyColumns = fragment`id, name, prefix, scopes, created_at, last_used_at, expires_at,
      revoked_at, coalesce(expires_at <= facteur_now(), false) as is_expired`

export async function insertApiKey(
  db: Database,
  workspaceId: number,
  key: {
    id: string
    name: string
    prefix: string
    digest: Buffer
    scopes: string[]
    expiresAt: string | null
  },
): Promise<void> {
  await db.count(sql`
    insert into api_key (workspace_id, id, name, prefix, digest, scopes, created_at, expires_at)
    values (${workspaceId}, ${key.id}, ${key.name}, ${key.prefix}, ${key.digest}, ${key.scopes},
      facteur_now(), ${key.expiresAt})`)
}

export function apiKeysOf(db: Database, workspaceId: number): Promise<ApiKeyRow[]> {
  return db.rows<ApiKeyRow>(sql`
    select ${keyColumns} from api_key where workspace_id = ${workspaceId} order by created_at, id`)
}

export function findApiKey(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<ApiKeyRow | null> {
  return db.row<ApiKeyRow>(sql`
    select ${keyColumns} from api_key where workspace_id = ${workspaceId} and id = ${id}`)
}

/**
 * Revokes a key; its digest stays, so that a call with it is answered as revoked and not as
 * unknown. False if there is no such active key.
 */
export function revokeApiKeyRow(db: Database, workspaceId: number, id: string): Promise<boolean> {
  return db.changes(sql`
    update api_key
    set revoked_at = facteur_now()
    where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null`)
}

export async function recordKeyUse(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(
    sql`update api_key set last_used_at = facteur_now() where workspace_id = ${workspaceId} and id = ${id}`,
  )
}
