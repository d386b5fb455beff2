/** Deletes expired data of sign-ins: sessions, links, challenges and rate-limit counters. */
import { sql } from '../connection/sql.ts'
import type { Database } from '../connection/database.ts'

/** By table. Each deletes up to `max` rows, and answers how many. */
export const expiredSignIns = {
  user_session: (db: Database, max: number): Promise<number> =>
    db.count(sql`
      delete from user_session where digest = any (array(
        select digest from user_session where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
  user_link: (db: Database, max: number): Promise<number> =>
    db.count(sql`
      delete from user_link where digest = any (array(
        select digest from user_link where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
  user_passkey_challenge: (db: Database, max: number): Promise<number> =>
    db.count(sql`
      delete from user_passkey_challenge where id = any (array(
        select id from user_passkey_challenge where expires_at < (select facteur_now()) limit ${max} for update skip locked))`),
  sign_in_rate: (db: Database, max: number): Promise<number> =>
    db.count(sql`
      delete from sign_in_rate where bucket = any (array(
        select bucket from sign_in_rate where ends_at < (select facteur_now()) limit ${max} for update skip locked))`),
}
