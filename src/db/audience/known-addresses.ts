/** Addresses that a dry run of an import has seen. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * For a dry run: the addresses that its earlier lines would have stored. A transaction of its own
 * holds them, which writes nothing else and stays open as long as the run.
 */
export async function beginKnownAddresses(tx: Database): Promise<void> {
  await tx.count(sql`set local idle_in_transaction_session_timeout = 0`)
  await tx.count(sql`create temporary table import_seen (email text primary key) on commit drop`)
}

/** Which of these addresses were seen before. */
export async function alreadyKnown(tx: Database, emails: string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ email: string }>(sql`
    select s.email from unnest(${emails}::text[]) as a (email) join import_seen s on s.email = a.email`)
  return new Set(rows.map(({ email }) => email))
}

export async function markKnown(tx: Database, emails: string[]): Promise<void> {
  await tx.count(
    sql`insert into import_seen select * from unnest(${emails}::text[]) on conflict do nothing`,
  )
}
