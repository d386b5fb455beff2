/**
 * Tells a copy of a database from the database itself: a dump that was restored, or a recovery to a
 * point in time. A replica that took over is no copy: nothing that was committed is lost with it,
 * and sending goes on (docs/decisions/0049-backups.md).
 */
import { DatabaseClient } from '../client/database-client.ts'
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'

export interface DatabaseIdentity {
  /** Of the cluster: its replicas and physical copies have it too. Null if the role may not ask. */
  systemIdentifier: string | null
  /** Each promotion begins one: of a replica that takes over, and of a recovery that ends. */
  timeline: number | null
  databaseOid: string
  tableOid: string
  /** The server's settings name a point to recover up to; those of a replica do not. */
  hasRecoveryTarget: boolean
}

export async function readIdentity(connectionString: string): Promise<DatabaseIdentity> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur check',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    const { rows } = await client.query<Omit<DatabaseIdentity, 'systemIdentifier' | 'timeline'>>(`
      select (select oid::text from pg_database where datname = current_database()) as "databaseOid",
        'database_identity'::regclass::oid::text as "tableOid",
        exists (select from pg_settings where setting <> ''
          and name in ('recovery_target', 'recovery_target_lsn', 'recovery_target_name',
            'recovery_target_time', 'recovery_target_xid')
        ) as "hasRecoveryTarget"`)
    const [row] = rows
    if (!row) throw new Error('The database did not tell which one it is')
    const { rows: cluster } = await client
      .query<Pick<DatabaseIdentity, 'systemIdentifier' | 'timeline'>>(
        `
          select system_identifier::text as "systemIdentifier", timeline_id as timeline
          from pg_control_system(), pg_control_checkpoint()`,
      )
      // A service that hides these functions leaves the other marks.
      .catch(() => ({ rows: [] }))
    return { systemIdentifier: null, timeline: null, ...row, ...cluster[0] }
  } finally {
    await client.end()
  }
}

/**
 * Stores which database this is. Answers what shows that the rows came from another one. Null if
 * nothing does. Of two processes that start, one gets the answer.
 */
export async function storeIdentity(
  tx: Database,
  present: DatabaseIdentity,
): Promise<string | null> {
  const { systemIdentifier, timeline, databaseOid, tableOid } = present
  await tx.count(sql`
    insert into database_identity (system_identifier, timeline, database_oid, table_oid)
    values (${systemIdentifier}, ${timeline}, ${databaseOid}, ${tableOid}) on conflict do nothing`)
  const known = await tx.onlyRow<Omit<DatabaseIdentity, 'hasRecoveryTarget'>>(sql`
    select system_identifier, timeline, database_oid::text, table_oid::text
    from database_identity for update`)
  const shownBy = differenceOf(known, present)
  await tx.count(sql`
    update database_identity
    set system_identifier = ${systemIdentifier}, timeline = ${timeline}, database_oid = ${databaseOid},
      table_oid = ${tableOid}, copy_shown_by = coalesce(${shownBy}, copy_shown_by)
    where (system_identifier, timeline, database_oid, table_oid)
      is distinct from (${systemIdentifier}, ${timeline}::int, ${databaseOid}::bigint, ${tableOid}::bigint)`)
  return shownBy
}

function differenceOf(
  known: Omit<DatabaseIdentity, 'hasRecoveryTarget'>,
  present: DatabaseIdentity,
): string | null {
  const { systemIdentifier, timeline } = present
  const isOther = (a: string | number | null, b: string | number | null): boolean =>
    a !== null && b !== null && a !== b
  if (isOther(known.systemIdentifier, systemIdentifier))
    return 'another system identifier of PostgreSQL'
  if (known.databaseOid !== present.databaseOid || known.tableOid !== present.tableOid)
    return 'other object identifiers of PostgreSQL'
  return isOther(known.timeline, timeline) && present.hasRecoveryTarget
    ? 'a new timeline after a recovery to a point in time'
    : null
}

/** A person says that it is a copy. */
export async function forgetCopy(tx: Database): Promise<void> {
  await tx.count(sql`update database_identity set copy_shown_by = null`)
}
