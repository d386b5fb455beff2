/** What mail of a domain goes by: the keys that sign it, and the subdomains that it uses. */
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { KeyAlgorithm } from './domain-keys.ts'

export interface SendingDomain extends HostsInUse {
  /** RSA first: receivers that know one algorithm know that one. */
  keys: SigningKey[]
}

export interface SigningKey {
  selector: string
  algorithm: KeyAlgorithm
  /** Base64. */
  sealed: string
}

/**
 * Null where the last check that DNS answered did not find them. A broken link is worse than one by
 * our own host. A bounce that is lost, or whose SPF fails, is worse than one that comes to us.
 */
export interface HostsInUse {
  returnPath: string | null
  tracking: string | null
}

export function sendingDomainOf(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<SendingDomain> {
  return db.onlyRow<SendingDomain>(sql`
    select ${hosts(workspaceId, domain)}, array(
      select json_build_object('selector', selector, 'algorithm', algorithm, 'sealed',
        encode(private_key, 'base64'))
      from domain_key
      where workspace_id = ${workspaceId} and domain = ${domain} and state = 'signing'
        and private_key is not null
      order by algorithm desc, pair desc) as keys`)
}

export function hostsInUse(db: Database, workspaceId: number, domain: string): Promise<HostsInUse> {
  return db.onlyRow<HostsInUse>(sql`select ${hosts(workspaceId, domain)}`)
}

const hosts = (workspaceId: number, domain: string): Fragment => part`
      (${host(workspaceId, domain, 'return_path')}) as return_path,
        (${host(workspaceId, domain, 'tracking')}) as tracking`

const host = (
  workspaceId: number,
  domain: string,
  purpose: 'return_path' | 'tracking',
): Fragment => part`
        select r.name from dns_record r
        where r.workspace_id = ${workspaceId} and r.domain = ${domain} and r.in_use and r.misses = 0
          and r.purpose = ${purpose} and not exists (
            select
            from dns_record s
            where s.workspace_id = ${workspaceId} and s.domain = ${domain} and s.name = r.name
              and s.purpose = 'spf' and (not s.in_use or s.misses > 0))
        limit 1`
