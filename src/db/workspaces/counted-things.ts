/** Counts a workspace's objects of each kind, for the limits of contract/limits.ts. */
import { sql, type Statement } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Objects that a workspace has a limited number of. Revoked or expired keys, and campaigns that are
 * no drafts, do not count.
 */
export type Counted =
  | 'apiKeys'
  | 'senders'
  | 'domains'
  | 'forms'
  | 'segments'
  | 'drafts'
  | 'images'
  | 'members'
  | 'topics'

const counts: Record<Counted, (workspaceId: number) => Statement> = {
  apiKeys: (workspaceId) => sql`
    select count(*) as count from api_key
    where workspace_id = ${workspaceId} and revoked_at is null
      and (expires_at is null or expires_at > facteur_now())`,
  senders: (workspaceId) =>
    sql`select count(*) as count from sender where workspace_id = ${workspaceId}`,
  domains: (workspaceId) =>
    sql`select count(*) as count from domain where workspace_id = ${workspaceId}`,
  forms: (workspaceId) =>
    sql`select count(*) as count from sign_up_form where workspace_id = ${workspaceId}`,
  segments: (workspaceId) =>
    sql`select count(*) as count from segment where workspace_id = ${workspaceId}`,
  drafts: (workspaceId) =>
    sql`select count(*) as count from campaign where workspace_id = ${workspaceId} and status = 'draft'`,
  images: (workspaceId) =>
    sql`select count(*) as count from image_file where workspace_id = ${workspaceId}`,
  topics: (workspaceId) =>
    sql`select count(*) as count from topic where workspace_id = ${workspaceId}`,
  members: (workspaceId) =>
    sql`select count(*) as count from workspace_member where workspace_id = ${workspaceId}`,
}

export function countThings(db: Database, workspaceId: number, what: Counted): Promise<number> {
  return db.onlyValue<number>(counts[what](workspaceId))
}

/** Serialises additions of counted objects to a workspace, until the transaction ends. */
export async function lockCounts(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
}
