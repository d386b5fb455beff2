/**
 * The public halves of every key that a domain signed with: also retired ones, and those of a
 * domain that was removed since.
 */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { KeyAlgorithm } from './domain-keys.ts'

export interface VerifyingKey {
  selector: string
  algorithm: KeyAlgorithm
  /** p= of its record. */
  publicKey: string
}

/** Those that a mail names in its signatures, of one workspace. */
export function verifyingKeys(
  db: Database,
  workspaceId: number,
  { domain, selectors }: { domain: string; selectors: string[] },
): Promise<VerifyingKey[]> {
  return db.rows<VerifyingKey>(sql`
    select selector, algorithm, public_key from domain_key
    where workspace_id = ${workspaceId} and domain = ${domain} and selector = any (${selectors}::text[])
    union all
    select selector, algorithm, public_key from former_domain_key
    where workspace_id = ${workspaceId} and domain = ${domain} and selector = any (${selectors}::text[])`)
}

/**
 * How long a complaint may come after its mail left: as long as core/feedback/next-status.ts takes
 * one.
 */
const complaintDays = 180

/**
 * Keeps the public halves of a domain that is about to be removed, and deletes those of which no
 * complaint can count any more.
 */
export async function keepVerifyingKeys(
  tx: Database,
  workspaceId: number,
  domain: string,
): Promise<void> {
  await tx.count(sql`
    delete from former_domain_key
    where workspace_id = ${workspaceId}
      and removed_at < facteur_now() - make_interval(days => ${complaintDays})`)
  await tx.count(sql`
    with kept as materialized (
      select domain, selector, algorithm, public_key from domain_key
      where workspace_id = ${workspaceId} and domain = ${domain} and signing_at is not null
    )
    insert into former_domain_key (workspace_id, domain, selector, algorithm, public_key, removed_at)
    select ${workspaceId}::bigint, domain, selector, algorithm, public_key, facteur_now() from kept
    on conflict do nothing`)
}
