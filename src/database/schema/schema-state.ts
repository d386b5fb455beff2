/**
 * Facts of a database that are read without a change: its version, its clock, and which migrations
 * it has.
 */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import { migrationNames, migrationsFolder } from './migration-files.ts'

export interface SchemaState {
  /** Of PostgreSQL, such as `18.4`. */
  serverVersion: string
  /** Names of migrations that the program has and the database lacks. */
  missing: string[]
  /**
   * Those that the database has and a program has to know. It can do without the migrations of the
   * next release.
   */
  unknown: string[]
}

export async function schemaState(
  db: Database,
  folder: string = migrationsFolder,
): Promise<SchemaState> {
  const [server] = await db.rows<{
    version: string
    migrated: boolean
    hasCompatible: boolean
  }>(sql`
    select current_setting('server_version') as version,
      to_regclass('schema_migration') is not null as migrated,
      to_regclass('compatible_migration') is not null as has_compatible`)
  const required = server?.migrated
    ? await db.column<string>(sql`select name from schema_migration order by name`)
    : []
  const compatible = server?.hasCompatible
    ? await db.column<string>(sql`select name from compatible_migration`)
    : []
  const files = migrationNames(folder)
  return {
    // Distributions add their own words after a space.
    serverVersion: (server?.version ?? '').split(' ')[0] ?? '',
    missing: files.filter((name) => !required.includes(name) && !compatible.includes(name)),
    unknown: required.filter((name) => !files.includes(name)),
  }
}

/** Milliseconds since 1970 by the clock of every statement; of a migrated database only. */
export function databaseTimeMs(db: Database): Promise<number> {
  return db.onlyValue<number>(sql`select (extract(epoch from facteur_now()) * 1000)::float8`)
}
