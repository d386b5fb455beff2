/** Deletes expired data of sign-ins: sessions, links, challenges and rate-limit counters. */
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

/** Up to `max` rows of each; answers the largest number that one of them deleted. */
export async function deleteExpiredSignIns(db: Database, max: number): Promise<number> {
  const gone = [
    await db.count(sql`
      delete from user_session where digest = any (array(
        select digest from user_session where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
    await db.count(sql`
      delete from user_link where digest = any (array(
        select digest from user_link where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
    await db.count(sql`
      delete from user_passkey_challenge where id = any (array(
        select id from user_passkey_challenge where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
    await db.count(sql`
      delete from sign_in_rate where bucket = any (array(
        select bucket from sign_in_rate where ends_at < (select facteur_now()) limit ${max} for update skip locked))`),
  ]
  return Math.max(...gone)
}
