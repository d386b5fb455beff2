/** Passkeys and the challenges that they sign. */
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'

export interface PasskeyRow {
  id: string
  personId: string
  name: string
  publicKey: Buffer
  counter: number
  transports: string[]
  createdAt: Date
  lastUsedAt: Date | null
}

/** In the order in which they were made. */
export function passkeysOf(db: Database, personId: string): Promise<PasskeyRow[]> {
  return db.rows<PasskeyRow>(sql`
    select id, person_id as "personId", name, public_key as "publicKey", counter, transports, created_at as "createdAt",
      last_used_at as "lastUsedAt"
    from passkey where person_id = ${personId} order by created_at, id`)
}

/** With its user. */
export async function findPasskey(db: Database, id: string): Promise<(PasskeyRow & { email: string }) | null> {
  const [row] = await db.rows<PasskeyRow & { email: string }>(sql`
    select k.id, k.person_id as "personId", k.name, k.public_key as "publicKey", k.counter, k.transports, k.created_at as "createdAt",
      k.last_used_at as "lastUsedAt", p.email
    from passkey k join person p on p.id = k.person_id where k.id = ${id}`)
  return row ?? null
}

/** False: this passkey is registered already. */
export async function insertPasskey(db: Database, key: Omit<PasskeyRow, 'createdAt' | 'lastUsedAt'>): Promise<boolean> {
  const touched = await db.count(sql`
    insert into passkey (id, person_id, name, public_key, counter, transports)
    values (${key.id}, ${key.personId}, ${key.name}, ${key.publicKey}, ${key.counter}, ${key.transports})
    on conflict (id) do nothing`)
  return touched > 0
}

/** Stores a signature's counter. False: it did not increase, so the key may have been copied (Level 3, 6.1.1). */
export async function notePasskeyUse(db: Database, id: string, counter: number): Promise<boolean> {
  const touched = await db.count(sql`
    update passkey set counter = ${counter}, last_used_at = facteur_now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`)
  return touched > 0
}

export async function deletePasskey(db: Database, personId: string, id: string): Promise<boolean> {
  return (await db.count(sql`delete from passkey where person_id = ${personId} and id = ${id}`)) > 0
}

export async function dropPasskeys(tx: Database, personId: string): Promise<void> {
  await tx.count(sql`delete from passkey where person_id = ${personId}`)
}

/** `personId`: the user who registers a passkey; null: a sign-in. */
export async function insertChallenge(
  db: Database,
  { id, challenge, personId }: { id: string; challenge: string; personId: string | null },
): Promise<void> {
  await db.count(sql`
    insert into passkey_challenge (id, challenge, person_id, expires_at)
    values (${id}, ${challenge}, ${personId}, facteur_now() + interval '5 minutes')`)
}

/** Uses it up: it is answered once. Null: it was used, has expired, or belongs to another user. */
export async function takeChallenge(db: Database, id: string, personId: string | null): Promise<string | null> {
  const [row] = await db.rows<{ challenge: string }>(sql`
    delete from passkey_challenge where id = ${id} and person_id is not distinct from ${personId}::uuid and expires_at > facteur_now()
    returning challenge`)
  return row?.challenge ?? null
}
