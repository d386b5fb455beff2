/**
 * What Google's Postmaster Tools say of a workspace's domains: Gmail's spam rate by day, and which
 * requirements need work.
 */
import { gmailDaysCounted, gmailSpamRateMax } from '../../contract/thresholds.ts'
import { part, rowList } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface PostmasterDay {
  /** `2026-11-21`, as Google counts days. */
  day: string
  /** From 0 to 1. */
  spamRate: number
}

export interface PostmasterDomain {
  domain: string
  readAt: Date
  firstRateAt: Date | null
  needsWork: string[]
  compliant: string[]
  problem: string | null
}

/** The verified domains of a workspace, and when each was last read. Null means never. */
export function domainsToRead(
  db: Database,
  workspaceId: number,
): Promise<{ name: string; readAt: Date | null }[]> {
  return db.rows(sql`
    select d.name, p.read_at from domain d
    left join postmaster_domain p on p.workspace_id = ${workspaceId} and p.domain = d.name
    where d.workspace_id = ${workspaceId} and d.status = 'verified'`)
}

/** Null if the account may not read it, or nobody asked. */
export function postmasterDomain(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<PostmasterDomain | null> {
  return db.row<PostmasterDomain>(sql`
    select domain, read_at, first_rate_at, needs_work, compliant, problem
    from postmaster_domain where workspace_id = ${workspaceId} and domain = ${domain}`)
}

/** The published days of the last `days`, the newest first. */
export function postmasterDays(
  db: Database,
  workspaceId: number,
  { domain, days }: { domain: string; days: number },
): Promise<PostmasterDay[]> {
  return db.rows<PostmasterDay>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, spam_rate from postmaster_day
    where workspace_id = ${workspaceId} and domain = ${domain}
      and day > (facteur_now() at time zone 'utc')::date - ${days}::int
    order by day desc`)
}

/** The newest published day of each domain of a workspace. */
export function newestGmailRates(
  db: Database,
  workspaceId: number,
): Promise<(PostmasterDay & { domain: string })[]> {
  return db.rows(sql`
    select distinct on (domain) domain, to_char(day, 'YYYY-MM-DD') as day, spam_rate from postmaster_day
    where workspace_id = ${workspaceId} and day > (facteur_now() at time zone 'utc')::date - 30
    order by domain, day desc limit 100`)
}

/**
 * The newest published day of each domain of the last seven, of all workspaces of a database; the
 * fifty highest rates.
 */
export function highestGmailRates(db: Database): Promise<{ domain: string; spamRate: number }[]> {
  return db.rows(sql`
    select domain, max(spam_rate) as spam_rate from (
      select n.domain, n.spam_rate from workspace w cross join lateral (
        select distinct on (domain) domain, spam_rate from postmaster_day
        where workspace_id = w.id and day > (facteur_now() at time zone 'utc')::date - 7
        order by domain, day desc) n
    ) newest group by domain order by max(spam_rate) desc limit 50`)
}

/** A failed read keeps what earlier ones said. */
export async function storePostmasterDomain(
  db: Database,
  workspaceId: number,
  {
    domain,
    needsWork,
    compliant,
    problem,
  }: Pick<PostmasterDomain, 'domain' | 'needsWork' | 'compliant' | 'problem'>,
): Promise<void> {
  await db.count(sql`
    insert into postmaster_domain as p (workspace_id, domain, read_at, needs_work, compliant, problem)
    values (${workspaceId}, ${domain}, facteur_now(), ${needsWork}::text[], ${compliant}::text[], ${problem})
    on conflict (workspace_id, domain) do update set read_at = excluded.read_at, problem = excluded.problem,
      needs_work = case when excluded.problem is null then excluded.needs_work else p.needs_work end,
      compliant = case when excluded.problem is null then excluded.compliant else p.compliant end`)
}

/** Google may correct a day that it has published. */
export async function storePostmasterDays(
  db: Database,
  workspaceId: number,
  { domain, days }: { domain: string; days: PostmasterDay[] },
): Promise<void> {
  if (days.length === 0) return
  await db.count(sql`
    insert into postmaster_day as d (workspace_id, domain, day, spam_rate)
    select ${workspaceId}, ${domain}, n.day::date, n.spam_rate
    from ${rowList(days, 'n', { text: ['day'], float8: ['spamRate'] })}
    on conflict (workspace_id, domain, day) do update set spam_rate = excluded.spam_rate
    where d.spam_rate <> excluded.spam_rate`)
  await db.count(sql`
    update postmaster_domain set first_rate_at = (select facteur_now())
    where workspace_id = ${workspaceId} and domain = ${domain} and first_rate_at is null`)
}

/** Removes what is no longer shown to the account. The rates of its days stay: they still count. */
export async function removeUnlistedDomains(
  db: Database,
  workspaceId: number,
  listed: string[],
): Promise<void> {
  await db.count(sql`
    delete from postmaster_domain where workspace_id = ${workspaceId} and domain <> all (${listed}::text[])`)
}

/**
 * The newest day above the limit since the operator last began the reputation again. Null if there
 * is none.
 */
export async function newestExceedingDay(
  db: Database,
  workspaceId: number,
): Promise<string | null> {
  return db.value<string>(sql`
    select to_char(max(d.day), 'YYYY-MM-DD')
    from workspace w
    join postmaster_day d on d.workspace_id = ${workspaceId}
    where w.id = ${workspaceId} and d.spam_rate > ${gmailSpamRateMax}
      and d.day > coalesce((w.reputation_began_at at time zone 'utc')::date, '-infinity')`)
}

/**
 * Suspends until the day, which ends at midnight, is `gmailDaysCounted` days old. Null means no day
 * does. The operator may have begun the reputation again meanwhile, which the statement looks up
 * once more.
 */
export async function setGmailSuspension(
  db: Database,
  workspaceId: number,
  day: string | null,
): Promise<void> {
  const until = part`(${day}::date + 1 + ${gmailDaysCounted}::int)::timestamp at time zone 'utc'`
  await db.count(sql`
    update ${home}workspace
    set gmail_suspended_until = ${until}
    where id = ${workspaceId}
      and coalesce((reputation_began_at at time zone 'utc')::date < ${day}::date, true)
      and gmail_suspended_until is distinct from ${until}`)
}
