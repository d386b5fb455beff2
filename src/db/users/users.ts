/** Users who sign in, found by their address, and their sign-in secrets. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { Language } from '../../ground/texts/languages.ts'

export interface UserRow {
  id: string
  email: string
  name: string
  language: Language | null
}

/** The secrets that a sign-in is checked against. */
export interface UserSecrets {
  id: string
  email: string
  password: string | null
  /** Sealed. Null means the sign-in requires no code. */
  totpSecret: Buffer | null
  recoveryCodes: number
  networks: string[]
  /** The database's time, in seconds since 1970: codes of an app go by it. */
  nowSeconds: number
}

/** Null if another user has this address already. */
export function insertUser(
  db: Database,
  user: {
    id: string
    email: string
    name: string
    password?: string
    language?: Language | null
  },
): Promise<string | null> {
  return db.value<string>(sql`
    insert into user_account (id, email, name, password, language)
    values (${user.id}, ${user.email}, ${user.name}, ${user.password ?? null}, ${user.language ?? null})
    on conflict (email) do nothing returning id`)
}

export function findUser(db: Database, id: string): Promise<UserRow> {
  return db.onlyRow<UserRow>(
    sql`select id, email, name, language from user_account where id = ${id}`,
  )
}

/** By their whole address, lower-cased. */
export function findUserByEmail(db: Database, email: string): Promise<UserRow | null> {
  return db.row<UserRow>(
    sql`select id, email, name, language from user_account where email = ${email}`,
  )
}

/** By their whole address, lower-cased. */
export function findSecrets(db: Database, email: string): Promise<UserSecrets | null> {
  return db.row<UserSecrets>(sql`
    select id, email, password, case when totp_since is not null then totp_secret end as totp_secret,
      cardinality(recovery_codes) as recovery_codes, networks,
        extract(epoch from facteur_now())::float8 as now_seconds
    from user_account where email = ${email}`)
}

export function isAnybodyThere(db: Database): Promise<boolean> {
  return db.onlyValue<boolean>(sql`select exists (select from user_account order by email limit 1)`)
}

/** A null value leaves its column as it is, but the language where `setsLanguage`. */
export function updateUser(
  db: Database,
  id: string,
  change: { name: string | null; language: Language | null; setsLanguage: boolean },
): Promise<UserRow> {
  return db.onlyRow<UserRow>(sql`
    update user_account set name = coalesce(${change.name}, name),
      language = case when ${change.setsLanguage} then ${change.language} else language end
    where id = ${id} returning id, email, name, language`)
}

/** Locks a user until the transaction ends. */
export async function lockUser(tx: Database, id: string): Promise<void> {
  await tx.rows(sql`select from user_account where id = ${id} for update`)
}

/**
 * Whether they have a second factor that is not yet known to belong to the owner of their address.
 */
export async function hasUnprovenFactor(db: Database, id: string): Promise<boolean> {
  const [row] = await db.rows<{ has: boolean }>(sql`
    select proven_at is null
      and (totp_since is not null or exists (select from user_passkey where user_id = p.id)) as has
    from user_account p where id = ${id}`)
  return row?.has === true
}

/** Confirms a user's address by a mailed link, or the operator's own. True: for the first time. */
export function confirmUserAddress(tx: Database, id: string): Promise<boolean> {
  return tx.changes(
    sql`update user_account set proven_at = facteur_now() where id = ${id} and proven_at is null`,
  )
}

export async function setPassword(db: Database, id: string, password: string): Promise<void> {
  await db.count(sql`update user_account set password = ${password} where id = ${id}`)
}

/** Stores the network of a sign-in; the row holds the last ten networks. */
export async function recordNetwork(db: Database, id: string, network: string): Promise<void> {
  await db.count(sql`
    update user_account set networks = (array_prepend(${network}, array_remove(networks, ${network})))[1:10]
    where id = ${id} and networks[1] is distinct from ${network}`)
}

/** Stores a secret that waits for its first code. False means one is in use already. */
export function startTotp(db: Database, id: string, secret: Buffer): Promise<boolean> {
  return db.changes(sql`
    update user_account
    set totp_secret = ${secret}, totp_step = null
    where id = ${id} and totp_since is null`)
}

/** Null if there is none, or it is in use already. */
export function startedTotp(
  db: Database,
  id: string,
): Promise<{ secret: Buffer; nowSeconds: number } | null> {
  return db.row<{ secret: Buffer; nowSeconds: number }>(sql`
    select totp_secret as secret, extract(epoch from facteur_now())::float8 as now_seconds
    from user_account where id = ${id} and totp_since is null and totp_secret is not null`)
}

/** Puts the waiting secret in use. False if a concurrent call came first. */
export function storeTotp(
  db: Database,
  id: string,
  { secret, step, recoveryCodes }: { secret: Buffer; step: number; recoveryCodes: Buffer[] },
): Promise<boolean> {
  return db.changes(sql`
    update user_account set totp_since = facteur_now(), totp_step = ${step}, recovery_codes = ${recoveryCodes}
    where id = ${id} and totp_since is null and totp_secret = ${secret}`)
}

/** Takes a code's step. False if this one or a later one was taken before. */
export function takeTotpStep(db: Database, id: string, step: number): Promise<boolean> {
  return db.changes(sql`
    update user_account set totp_step = ${step} where id = ${id} and coalesce(totp_step, -1) < ${step}`)
}

/** Takes a recovery code. False if the user has no such code, or used it before. */
export function takeRecoveryCode(db: Database, id: string, digest: Buffer): Promise<boolean> {
  return db.changes(sql`
    update user_account set recovery_codes = array_remove(recovery_codes, ${digest}::bytea)
    where id = ${id} and ${digest}::bytea = any (recovery_codes)`)
}

/** False if the user has no authenticator app in use. */
export function setRecoveryCodes(db: Database, id: string, digests: Buffer[]): Promise<boolean> {
  return db.changes(sql`
    update user_account set recovery_codes = ${digests} where id = ${id} and totp_since is not null`)
}

export async function dropTotp(db: Database, id: string): Promise<void> {
  await db.count(sql`
    update user_account
    set totp_secret = null, totp_since = null, totp_step = null, recovery_codes = '{}'
    where id = ${id}`)
}
