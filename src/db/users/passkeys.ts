/** Passkeys and the challenges that they sign. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface PasskeyRow {
  id: string
  userId: string
  name: string
  publicKey: Buffer
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

/** In the order in which they were made. */
export function passkeysOf(db: Database, userId: string): Promise<PasskeyRow[]> {
  return db.rows<PasskeyRow>(sql`
    select id, user_id, name, public_key, counter, transports, created_at,
      last_used_at
    from user_passkey where user_id = ${userId} order by created_at, id`)
}

/** With its user. */
export function findPasskey(
  db: Database,
  id: string,
): Promise<(PasskeyRow & { email: string }) | null> {
  return db.row<PasskeyRow & { email: string }>(sql`
    select k.id, k.user_id, k.name, k.public_key, k.counter, k.transports, k.created_at,
      k.last_used_at, p.email
    from user_passkey k join user_account p on p.id = k.user_id where k.id = ${id}`)
}

/** False if this passkey is registered already. */
export function insertPasskey(
  db: Database,
  key: Omit<PasskeyRow, 'createdAt' | 'lastUsedAt'>,
): Promise<boolean> {
  return db.changes(sql`
    insert into user_passkey (id, user_id, name, public_key, counter, transports)
    values (${key.id}, ${key.userId}, ${key.name}, ${key.publicKey}, ${key.counter}, ${key.transports})
    on conflict (id) do nothing`)
}

/**
 * Stores a signature's counter. False if it did not increase, so the key may have been copied
 * (Level 3, 6.1.1).
 */
export function recordPasskeyUse(db: Database, id: string, counter: number): Promise<boolean> {
  return db.changes(sql`
    update user_passkey set counter = ${counter}, last_used_at = facteur_now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`)
}

export function deletePasskey(db: Database, userId: string, id: string): Promise<boolean> {
  return db.changes(sql`delete from user_passkey where user_id = ${userId} and id = ${id}`)
}

export async function dropPasskeys(tx: Database, userId: string): Promise<void> {
  await tx.count(sql`delete from user_passkey where user_id = ${userId}`)
}

/** `userId`: the user who registers a passkey. Null means a sign-in. */
export async function insertChallenge(
  db: Database,
  { id, challenge, userId }: { id: string; challenge: string; userId: string | null },
): Promise<void> {
  await db.count(sql`
    insert into user_passkey_challenge (id, challenge, user_id, expires_at)
    values (${id}, ${challenge}, ${userId}, facteur_now() + interval '5 minutes')`)
}

/**
 * Uses it up: it is answered once. Null if it was used, has expired, or belongs to another user.
 */
export function takeChallenge(
  db: Database,
  id: string,
  userId: string | null,
): Promise<string | null> {
  return db.value<string>(sql`
    delete from user_passkey_challenge
    where id = ${id} and user_id is not distinct from ${userId}::uuid and expires_at > facteur_now()
    returning challenge`)
}
