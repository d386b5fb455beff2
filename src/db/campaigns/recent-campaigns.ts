/** The campaigns that a workspace sent last. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** Identifiers of those whose list was frozen last, the newest first; archived ones too. */
export function recentCampaignIds(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<string[]> {
  return db.column<string>(sql`
    select id
    from campaign
    where workspace_id = ${workspaceId} and frozen_at is not null
    order by frozen_at desc, id desc limit ${max}`)
}
