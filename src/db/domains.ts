/** Domains that a workspace may send from. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface DomainRow {
  name: string
  status: 'pending' | 'verified'
  createdAt: Date
  verifiedAt: Date | null
}

/** Adds a domain, or answers the one that is there. */
export async function insertDomain(db: Database, workspaceId: number, name: string): Promise<DomainRow> {
  const [row] = await db.rows<DomainRow>(sql`
    insert into domain as d (workspace_id, name, status, created_at) values (${workspaceId}, ${name}, 'pending', facteur_now())
    on conflict (workspace_id, name) do update set status = d.status
    returning name, status, created_at as "createdAt", verified_at as "verifiedAt"`)
  if (!row) throw new Error('An upsert answered no row')
  return row
}

export async function verifyDomain(db: Database, workspaceId: number, name: string): Promise<DomainRow | null> {
  const [row] = await db.rows<DomainRow>(sql`
    update domain set status = 'verified', verified_at = coalesce(verified_at, facteur_now())
    where workspace_id = ${workspaceId} and name = ${name}
    returning name, status, created_at as "createdAt", verified_at as "verifiedAt"`)
  return row ?? null
}

export function domainsOf(db: Database, workspaceId: number): Promise<DomainRow[]> {
  return db.rows<DomainRow>(sql`
    select name, status, created_at as "createdAt", verified_at as "verifiedAt" from domain
    where workspace_id = ${workspaceId} order by created_at, name`)
}
