/** What is true of the whole installation: which master key its secrets are sealed with. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** The fingerprint of the key that this database knows; null before the first start. */
export async function masterKeyFingerprint(db: Database): Promise<string | null> {
  const [row] = await db.rows<{ master_key_fingerprint: string }>(sql`select master_key_fingerprint from installation`)
  return row?.master_key_fingerprint ?? null
}

/** Remembers the key of the first start; a process that was quicker wins. */
export async function rememberMasterKey(db: Database, fingerprint: string): Promise<void> {
  await db.count(sql`
    insert into installation (master_key_fingerprint, created_at) values (${fingerprint}, facteur_now()) on conflict do nothing`)
}
