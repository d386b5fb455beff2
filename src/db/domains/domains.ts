/** Domains that a workspace may send from. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface DomainRow {
  name: string
  status: 'pending' | 'verified'
  createdAt: Date
  verifiedAt: Date | null
  /**
   * How it was verified. Null if it is not, or it was before DNS checks existed (then the operator
   * did).
   */
  verifiedBy: 'dns' | 'operator' | null
  /** Its subdomains; null is the usual one. */
  returnPathHost: string | null
  trackingHost: string | null
  checkedAt: Date | null
}

const domainColumns = fragment`name, status, created_at, verified_at, verified_by,
      return_path_host, tracking_host, checked_at`

/** Adds a domain, or answers the existing one. Given hosts replace the previous ones. */
export function insertDomain(
  db: Database,
  workspaceId: number,
  name: string,
  hosts: { returnPathHost?: string | null; trackingHost?: string | null } = {},
): Promise<DomainRow> {
  const { returnPathHost = null, trackingHost = null } = hosts
  return db.onlyRow<DomainRow>(sql`
    insert into domain as d (workspace_id, name, status, created_at, return_path_host, tracking_host)
    values (${workspaceId}, ${name}, 'pending', facteur_now(), ${returnPathHost}, ${trackingHost})
    on conflict (workspace_id, name) do update set status = d.status,
      return_path_host = coalesce(excluded.return_path_host, d.return_path_host),
      tracking_host = coalesce(excluded.tracking_host, d.tracking_host)
    returning ${domainColumns}`)
}

/** Verifies a domain by the operator's word, whatever DNS says. */
export function verifyDomain(
  db: Database,
  workspaceId: number,
  name: string,
): Promise<DomainRow | null> {
  return db.row<DomainRow>(sql`
    update domain
    set status = 'verified', verified_by = 'operator',
      verified_at = coalesce(verified_at, (select facteur_now()))
    where workspace_id = ${workspaceId} and name = ${name}
    returning ${domainColumns}`)
}

export async function proveDomain(db: Database, workspaceId: number, name: string): Promise<void> {
  await db.count(sql`
    update domain
    set status = 'verified', verified_by = 'dns', verified_at = coalesce(verified_at, (select facteur_now()))
    where workspace_id = ${workspaceId} and name = ${name}`)
}

/** Takes back a verification by records that are gone. */
export function unproveDomain(db: Database, workspaceId: number, name: string): Promise<boolean> {
  return db.changes(sql`
    update domain set status = 'pending', verified_by = null, verified_at = null
    where workspace_id = ${workspaceId} and name = ${name} and status = 'verified' and verified_by = 'dns'`)
}

export function domainsOf(db: Database, workspaceId: number): Promise<DomainRow[]> {
  return db.rows<DomainRow>(sql`
    select ${domainColumns} from domain where workspace_id = ${workspaceId} order by created_at, name`)
}

/** Locks a domain's row: a transaction that changes its keys and records holds it. */
export function lockDomain(
  db: Database,
  workspaceId: number,
  name: string,
): Promise<DomainRow | null> {
  return db.row<DomainRow>(sql`
    select ${domainColumns}
    from domain
    where workspace_id = ${workspaceId} and name = ${name}
    for no key update`)
}

/** One domain whose records are due for a check; no other worker takes it within `leaseSeconds`. */
export function takeDueDomain(
  db: Database,
  workspaceId: number,
  leaseSeconds: number,
): Promise<string | null> {
  return db.value<string>(sql`
    update domain set next_check_at = facteur_now() + make_interval(secs => ${leaseSeconds})
    where workspace_id = ${workspaceId} and name = (
      select name from domain where workspace_id = ${workspaceId} and next_check_at <= (select facteur_now())
      order by next_check_at limit 1 for no key update skip locked)
    returning name`)
}

/** Schedules the next check of a domain, counted from now; `checked`: it was checked just now. */
export async function scheduleCheck(
  db: Database,
  workspaceId: number,
  { name, seconds, checked }: { name: string; seconds: number; checked: boolean },
): Promise<void> {
  await db.count(sql`
    with moved as (
      update domain set next_check_at = facteur_now() + make_interval(secs => ${seconds}),
        checked_at = case when ${checked} then (select facteur_now()) else checked_at end
      where workspace_id = ${workspaceId} and name = ${name} returning next_check_at)
    insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'domain', next_check_at from moved
    on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)`)
}

export async function wasScannedWithin(
  db: Database,
  workspaceId: number,
  { name, seconds }: { name: string; seconds: number },
): Promise<boolean> {
  const [row] = await db.rows<{ within: boolean }>(sql`
    select coalesce(checked_at > facteur_now() - make_interval(secs => ${seconds}), false) as within
    from domain
    where workspace_id = ${workspaceId} and name = ${name}`)
  return row?.within ?? false
}

/** Seconds since it was added. */
export async function domainAge(db: Database, workspaceId: number, name: string): Promise<number> {
  const [row] = await db.rows<{ seconds: number }>(sql`
    select extract(epoch from facteur_now() - created_at)::float8 as seconds from domain
    where workspace_id = ${workspaceId} and name = ${name}`)
  return row?.seconds ?? 0
}

/** Mail that still uses a domain. */
export interface DomainUses {
  senders: number
  /** Scheduled or sending campaigns. */
  campaigns: number
  /** Recipients of single mails without a final state; scheduled ones too. */
  waiting: number
}

export function usesOfDomain(db: Database, workspaceId: number, name: string): Promise<DomainUses> {
  return db.onlyRow<DomainUses>(sql`
    select
      (select count(*)::int
        from sender
        where workspace_id = ${workspaceId} and split_part(email, '@', -1) = ${name}) as senders,
      (select count(*)::int
        from campaign
        where workspace_id = ${workspaceId} and status = any (array['scheduled', 'sending'])
        and split_part(from_email, '@', -1) = ${name}) as campaigns,
      (select count(*)::int
        from recipient r
        join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
        where r.workspace_id = ${workspaceId} and r.lane in ('transactional', 'held') and r.state <> 'settled'
          and split_part(m.head->'from'->>'address', '@', -1) = ${name}) as waiting`)
}

/** Deletes a domain with its keys and stored records. */
export async function deleteDomain(db: Database, workspaceId: number, name: string): Promise<void> {
  await db.count(sql`delete from domain where workspace_id = ${workspaceId} and name = ${name}`)
}
