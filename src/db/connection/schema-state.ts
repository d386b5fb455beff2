/** Facts of a database that are read without a change: its version, its clock, and which migrations it has. */
import { readdirSync } from 'node:fs'
import { sql, type Database } from './connect.ts'
import { migrationsFolder } from './migrate.ts'

export interface SchemaState {
  /** Of PostgreSQL, such as `18.4`. */
  serverVersion: string
  /** Names of migrations that the program has and the database lacks, and the other way round. */
  missing: string[]
  unknown: string[]
}

export async function schemaState(db: Database): Promise<SchemaState> {
  const [server] = await db.rows<{ version: string; migrated: boolean }>(sql`
    select current_setting('server_version') as version, to_regclass('schema_migration') is not null as migrated`)
  const applied = server?.migrated ? await db.rows<{ name: string }>(sql`select name from schema_migration order by name`) : []
  const have = applied.map(({ name }) => name)
  const files = readdirSync(migrationsFolder)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .toSorted()
  return {
    // Distributions add their own words after a space.
    serverVersion: (server?.version ?? '').split(' ')[0] ?? '',
    missing: files.filter((name) => !have.includes(name)),
    unknown: have.filter((name) => !files.includes(name)),
  }
}

/** Milliseconds since 1970 by the clock of every statement; of a migrated database only. */
export function databaseTimeMs(db: Database): Promise<number> {
  return db.onlyValue<number>(sql`select (extract(epoch from facteur_now()) * 1000)::float8`)
}
