/** Whom a campaign would reach, and who is held back and why: counted over whole lists, for a person who waits for it. */
import type { SuppressionReason } from '../contract/suppression.ts'
import { sql } from './connect.ts'
import type { Connection, Database } from './connect.ts'

export interface AudienceCounts {
  /** Subscribers by their status. */
  statuses: { status: string; count: number }[]
  /** Of the subscribed: those whose address is closed. */
  suppressed: { reason: SuppressionReason; scope: 'organization' | 'platform'; count: number }[]
}

/** One moment for both counts. */
export function audienceCounts(db: Connection, workspaceId: number): Promise<AudienceCounts> {
  return db.transaction(async (tx) => {
    await tx.count(sql`set transaction isolation level repeatable read`)
    return { statuses: await countStatuses(tx, workspaceId), suppressed: await countSuppressed(tx, workspaceId) }
  })
}

function countStatuses(tx: Database, workspaceId: number): Promise<AudienceCounts['statuses']> {
  return tx.rows(sql`
    select status, count(*) as count from subscriber where workspace_id = ${workspaceId} group by status order by status`)
}

/** From the closed addresses to their subscribers: the lists of closed ones are the short ones. */
function countSuppressed(tx: Database, workspaceId: number): Promise<AudienceCounts['suppressed']> {
  return tx.rows(sql`
    select x.reason, 'organization' as scope, count(*) as count
    from suppression x join subscriber s on s.workspace_id = ${workspaceId} and s.email = x.email and s.status = 'subscribed'
    where x.workspace_id = ${workspaceId} group by x.reason
    union all
    select g.reason, 'platform', count(*)
    from platform_suppression g join subscriber s on s.workspace_id = ${workspaceId} and s.email = g.email and s.status = 'subscribed'
    where not exists (select from suppression x where x.workspace_id = ${workspaceId} and x.email = g.email)
    group by g.reason order by scope, reason`)
}

/** Those of the custom fields that no subscriber was ever given. */
export async function unknownFields(db: Database, workspaceId: number, keys: string[]): Promise<string[]> {
  const rows = await db.rows<{ key: string }>(
    sql`select key from subscriber_field where workspace_id = ${workspaceId} and key = any (${keys}::text[])`,
  )
  const known = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !known.has(key))
}
