/** DKIM keys of domains: pairs that wait, sign, retire. Private keys arrive here sealed. */
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export type KeyAlgorithm = 'rsa-sha256' | 'ed25519-sha256'
export type KeyState = 'waiting' | 'signing' | 'retiring' | 'retired'

export interface DomainKeyRow {
  domain: string
  selector: string
  /** Both keys of a pair have its number; the newest pair has the highest. */
  pair: number
  algorithm: KeyAlgorithm
  state: KeyState
  /** p= of its record. */
  publicKey: string
  createdAt: Date
  signingAt: Date | null
  /** When it retires; null until it is replaced. */
  retireAt: Date | null
}

export interface NewDomainKey {
  selector: string
  algorithm: KeyAlgorithm
  publicKey: string
  sealed: Buffer
}

/** Locks the domain's row first, so that two concurrent pairs do not get one number. */
export async function insertKeyPair(
  db: Database,
  workspaceId: number,
  domain: string,
  keys: NewDomainKey[],
): Promise<void> {
  await db.count(sql`
    with last as materialized (
      select coalesce(max(pair), 0) as pair
      from domain_key
      where workspace_id = ${workspaceId} and domain = ${domain}
    )
    insert into domain_key (workspace_id, domain, selector, pair, algorithm, state, public_key, private_key,
      created_at)
    select ${workspaceId}, ${domain}, k.selector, last.pair + 1, k.algorithm, 'waiting', k.public_key,
      k.sealed, facteur_now()
    from last
    cross join ${rowList(keys, 'k', { text: ['selector', 'algorithm', 'publicKey'], bytea: ['sealed'] })}`)
}

/** The newest pair first, without retired keys. */
export function domainKeysOf(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<DomainKeyRow[]> {
  return db.rows<DomainKeyRow>(sql`
    select domain, selector, pair, algorithm, state, public_key, created_at, signing_at,
      retire_at
    from domain_key where workspace_id = ${workspaceId} and domain = ${domain} and state <> 'retired'
    order by pair desc, algorithm desc`)
}

/** The record was found in DNS: the key signs from now on, and older ones of its algorithm stop. */
export async function beginSigning(
  db: Database,
  workspaceId: number,
  { domain, selector, retireSeconds }: { domain: string; selector: string; retireSeconds: number },
): Promise<boolean> {
  const changed = await db.count(sql`
    update domain_key
    set state = 'signing', signing_at = coalesce(signing_at, (select facteur_now())), retire_at = null
    where workspace_id = ${workspaceId} and domain = ${domain} and selector = ${selector}
      and state = 'waiting'`)
  if (changed === 0) return false
  await db.count(sql`
    update domain_key old
    set state = 'retiring', retire_at = facteur_now() + make_interval(secs => ${retireSeconds})
    from domain_key new
    where new.workspace_id = ${workspaceId} and new.domain = ${domain} and new.selector = ${selector}
      and old.workspace_id = ${workspaceId} and old.domain = ${domain} and old.algorithm = new.algorithm
      and old.pair < new.pair and old.state in ('signing', 'waiting')`)
  return true
}

/** Its record is lost for good: its signatures cannot be verified. */
export async function stopSigning(
  db: Database,
  workspaceId: number,
  domain: string,
  selector: string,
): Promise<void> {
  await db.count(sql`
    update domain_key set state = 'waiting'
    where workspace_id = ${workspaceId} and domain = ${domain} and selector = ${selector}
      and state = 'signing'`)
}

/** Deletes the private halves of expired keys; answers how many. */
export function retireKeys(db: Database, workspaceId: number, domain: string): Promise<number> {
  return db.count(sql`
    update domain_key set state = 'retired', private_key = null
    where workspace_id = ${workspaceId} and domain = ${domain} and state = 'retiring'
      and retire_at <= (select facteur_now())`)
}
