/** The providers of workspaces that have one of their own: settings as they were given, secrets sealed. */
import { sql } from './connect.ts'
import type { Connection, Database } from './connect.ts'

export interface WorkspaceProviderRow {
  workspaceId: number
  /** Grows with each change of any workspace. */
  version: number
  /** Null: the deployment's. */
  choice: unknown
  secret: Buffer | null
  changedAt: Date
}

/** What changed since a version, of all workspaces, in that order; 0 is all there is. */
export function workspaceProvidersSince(db: Database, version: number): Promise<WorkspaceProviderRow[]> {
  return db.rows<WorkspaceProviderRow>(sql`
    select workspace_id as "workspaceId", version, choice, secret, changed_at as "changedAt" from workspace_provider
    where version > ${version} order by version`)
}

export async function workspaceProvider(db: Database, workspaceId: number): Promise<WorkspaceProviderRow | null> {
  const [row] = await db.rows<WorkspaceProviderRow>(sql`
    select workspace_id as "workspaceId", version, choice, secret, changed_at as "changedAt" from workspace_provider
    where workspace_id = ${workspaceId}`)
  return row ?? null
}

/** Sets it, or takes it back (`choice` null). Changes follow one another, so that no process passes over one that commits late. */
export async function setWorkspaceProvider(
  db: Connection,
  { workspaceId, choice, secret }: Pick<WorkspaceProviderRow, 'workspaceId' | 'choice' | 'secret'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.count(sql`lock table workspace_provider in share row exclusive mode`)
    await tx.count(sql`
      insert into workspace_provider (workspace_id, version, choice, secret, changed_at)
      values (${workspaceId}, nextval('workspace_provider_change'),
        ${choice === null ? null : JSON.stringify(choice)}::jsonb, ${secret}, facteur_now())
      on conflict (workspace_id) do update set version = excluded.version, choice = excluded.choice,
        secret = excluded.secret, changed_at = excluded.changed_at`)
  })
}
