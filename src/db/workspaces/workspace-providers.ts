/** Workspaces' own providers: the settings that they gave, with sealed secrets. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface WorkspaceProviderRow {
  workspaceId: number
  /** Grows with each change of any workspace. */
  version: number
  /** Null means the deployment's. */
  choice: unknown
  secret: Buffer | null
  changedAt: Date
  /** Its earlier providers, while their notices are accepted; the newest first. */
  former: FormerProvider[]
}

export interface FormerProvider {
  choice: unknown
  secret: Buffer | null
  acceptedUntil: Date
}

type StoredRow = Omit<WorkspaceProviderRow, 'former'> & {
  former: { choice: unknown; secret: string | null; acceptedUntil: string }[] | null
}

const selectStored = fragment`select p.workspace_id, p.version, p.choice, p.secret, p.changed_at, f.former
    from workspace_provider p cross join lateral (
      select json_agg(json_build_object('choice', choice, 'secret', encode(secret, 'hex'), 'acceptedUntil',
        heard_until) order by version desc) as former
      from former_provider where workspace_id = p.workspace_id) f`

/** Changes since a version, of all workspaces, in that order; 0 reads all. */
export async function workspaceProvidersSince(
  db: Database,
  version: number,
): Promise<WorkspaceProviderRow[]> {
  const rows = await db.rows<StoredRow>(sql`
    ${selectStored}
    where p.version > ${version} order by p.version`)
  return rows.map(readStored)
}

export async function workspaceProvider(
  db: Database,
  workspaceId: number,
): Promise<WorkspaceProviderRow | null> {
  const row = await db.row<StoredRow>(sql`
    ${selectStored}
    where p.workspace_id = ${workspaceId}`)
  return row ? readStored(row) : null
}

const readStored = ({ former, ...row }: StoredRow): WorkspaceProviderRow => ({
  ...row,
  former: (former ?? []).map(({ choice, secret, acceptedUntil }) => ({
    choice,
    secret: secret === null ? null : Buffer.from(secret, 'hex'),
    acceptedUntil: new Date(acceptedUntil),
  })),
})

/** Serialises changes from here on, so that no process misses one that commits late. */
export async function lockProviders(tx: Database): Promise<void> {
  await tx.count(sql`lock table workspace_provider in share row exclusive mode`)
}

/** Sets it, or removes it (`choice` null), under the lock. */
export async function setWorkspaceProvider(
  tx: Database,
  { workspaceId, choice, secret }: Pick<WorkspaceProviderRow, 'workspaceId' | 'choice' | 'secret'>,
): Promise<void> {
  await tx.count(sql`
    insert into workspace_provider (workspace_id, version, choice, secret, changed_at)
    values (${workspaceId}, nextval('workspace_provider_change'),
      ${choice === null ? null : JSON.stringify(choice)}::jsonb, ${secret}, facteur_now())
    on conflict (workspace_id) do update set version = excluded.version, choice = excluded.choice,
      secret = excluded.secret, changed_at = excluded.changed_at`)
}

/** Accepts notices of a workspace's current provider after its replacement: under the lock. */
export async function acceptFormer(tx: Database, workspaceId: number, days: number): Promise<void> {
  await tx.count(sql`
    with former as materialized (
      select version, choice, case when choice->>'queueUrl' is not null then secret end as secret,
        facteur_now() + make_interval(days => ${days}) as until
      from workspace_provider where workspace_id = ${workspaceId} and choice is not null
    )
    insert into former_provider (workspace_id, version, choice, secret, heard_until)
    select ${workspaceId}::bigint, version, choice, secret, until from former`)
}

/** Whether notices of an earlier provider of the workspace are accepted no longer. */
export function hasExpiredProviders(db: Database, workspaceId: number): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (select
      from former_provider
      where workspace_id = ${workspaceId} and heard_until <= facteur_now()) as is`)
}

/**
 * Deletes the expired ones, or all; answers how many. Every process reads the workspace again:
 * under the lock.
 */
export async function deleteFormerProviders(
  tx: Database,
  workspaceId: number,
  which: 'over' | 'all',
): Promise<number> {
  const forgotten = await tx.count(sql`
    delete from former_provider
    where workspace_id = ${workspaceId} and (${which === 'all'} or heard_until <= facteur_now())`)
  await tx.count(sql`
    update workspace_provider
    set version = nextval('workspace_provider_change')
    where workspace_id = ${workspaceId}`)
  return forgotten
}
