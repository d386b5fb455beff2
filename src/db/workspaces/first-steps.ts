/** How far a workspace's set-up is. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SetUpRow {
  domain: boolean
  key: boolean
  email: boolean
  webhook: boolean
  subscribers: boolean
}

/** Which of the first steps a workspace has done. */
export function setUpOf(db: Database, workspaceId: number): Promise<SetUpRow> {
  return db.onlyRow<SetUpRow>(sql`
    select exists (select from domain where workspace_id = ${workspaceId} and status = 'verified') as domain,
      exists (select from api_key where workspace_id = ${workspaceId} and revoked_at is null) as key,
      exists (select from message where workspace_id = ${workspaceId} and not notice and refused_at is null)
        or exists (select
          from campaign
          where workspace_id = ${workspaceId} and frozen_at is not null) as email,
      exists (select from webhook where workspace_id = ${workspaceId}) as webhook,
      exists (select from subscriber where workspace_id = ${workspaceId}) as subscribers`)
}
