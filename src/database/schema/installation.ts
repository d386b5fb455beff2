/**
 * Facts of the whole installation: the fingerprint of the master key that seals its secrets, and
 * its language.
 */
import { DatabaseClient } from '../client/database-client.ts'
import { home } from '../client/search-path.ts'
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import type { Language } from '../../ground/texts/languages.ts'

/** The fingerprint of the master key that this database stores; null before the first start. */
export function masterKeyFingerprint(db: Database): Promise<string | null> {
  return db.value<string>(sql`select master_key_fingerprint from installation`)
}

/** The language that the first start chose; null before it. */
export function installationLanguage(db: Database): Promise<Language | null> {
  return db.value<Language>(sql`select language from installation`)
}

/** Stores the key and the language of the first start; of two processes the first one wins. */
export async function rememberInstallation(
  db: Database,
  { fingerprint, language }: { fingerprint: string; language: Language },
): Promise<void> {
  await db.count(sql`
    insert into ${home}installation (master_key_fingerprint, language, created_at)
    values (${fingerprint}, ${language}, facteur_now()) on conflict do nothing`)
}

/**
 * The installation that an earlier start left in a database of any version; null without one. It
 * changes nothing, not even a table.
 */
export async function findInstallation(
  connectionString: string,
): Promise<{ fingerprint: string } | null> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur check',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `select from information_schema.columns
       where table_schema = current_schema() and table_name = 'installation'
         and column_name = 'master_key_fingerprint'`,
    )
    if (rowCount === 0) return null
    const { rows } = await client.query<{ fingerprint: string }>(
      'select master_key_fingerprint as fingerprint from installation',
    )
    return rows[0] ?? null
  } finally {
    await client.end()
  }
}
