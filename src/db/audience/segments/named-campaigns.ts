/** The campaigns that the conditions of a definition name. */
import { sql } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'

export interface CampaignEnd {
  id: string
  /** Its details expire by the age of this; null while it is not finished. */
  completedAt: Date | null
}

/** By identifier; one that does not exist is absent. */
export async function campaignEndsOf(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<ReadonlyMap<string, CampaignEnd>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<CampaignEnd>(sql`
    select id, completed_at
    from campaign
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row]))
}
