/** Workspaces and what belongs to them: plan, keys, domains, senders, and the account that sums them up. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface WorkspaceRow {
  id: number
  slug: string
  name: string
  plan: string
  ratePerMinute: number
  createdAt: Date
}

export async function insertWorkspace(db: Database, workspace: { slug: string; name: string; plan: string }): Promise<WorkspaceRow | null> {
  const [row] = await db.rows<WorkspaceRow>(sql`
    insert into workspace (slug, name, plan, created_at)
    values (${workspace.slug}, ${workspace.name}, ${workspace.plan}, facteur_now())
    on conflict (slug) do nothing
    returning id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt"`)
  return row ?? null
}

export function allWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace order by id`)
}

/** Workspaces by their numbers, after one on. */
export function workspacePage(db: Database, page: { after: number; most: number }): Promise<WorkspaceRow[]> {
  return db.rows<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace
    where id > ${page.after} order by id limit ${page.most}`)
}

/** By number or by slug. */
export async function findWorkspace(db: Database, idOrSlug: string): Promise<WorkspaceRow | null> {
  const [row] = await db.rows<WorkspaceRow>(sql`
    select id, slug, name, plan, rate_per_minute as "ratePerMinute", created_at as "createdAt" from workspace
    where slug = ${idOrSlug} or id::text = ${idOrSlug}`)
  return row ?? null
}

export async function setRatePerMinute(db: Database, workspaceId: number, ratePerMinute: number): Promise<void> {
  await db.count(sql`update workspace set rate_per_minute = ${ratePerMinute} where id = ${workspaceId}`)
}

/** Defines a plan without a limit, unless it is there. */
export async function insertPlan(db: Database, name: string): Promise<void> {
  await db.count(sql`insert into plan (name, monthly_quota) values (${name}, null) on conflict do nothing`)
}

/** Defines a plan, or changes its number. */
export async function upsertPlan(db: Database, name: string, monthlyQuota: number | null): Promise<void> {
  await db.count(sql`
    insert into plan (name, monthly_quota) values (${name}, ${monthlyQuota})
    on conflict (name) do update set monthly_quota = excluded.monthly_quota`)
}

export async function setPlan(db: Database, workspaceId: number, name: string): Promise<void> {
  await db.count(sql`update workspace set plan = ${name} where id = ${workspaceId}`)
}

/** How many workspaces are on a plan. */
export async function countOnPlan(db: Database, name: string): Promise<number> {
  const [row] = await db.rows<{ workspaces: number }>(sql`select count(*) as workspaces from workspace where plan = ${name}`)
  return row?.workspaces ?? 0
}

export interface ApiKeyRow {
  id: string
  name: string
  prefix: string
  scopes: string[]
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
}

export async function insertApiKey(
  db: Database,
  workspaceId: number,
  key: { id: string; name: string; prefix: string; digest: Buffer; scopes: string[]; expiresAt: string | null },
): Promise<void> {
  await db.count(sql`
    insert into api_key (workspace_id, id, name, prefix, digest, scopes, created_at, expires_at)
    values (${workspaceId}, ${key.id}, ${key.name}, ${key.prefix}, ${key.digest}, ${key.scopes}, facteur_now(), ${key.expiresAt})`)
}

export function apiKeysOf(db: Database, workspaceId: number): Promise<ApiKeyRow[]> {
  return db.rows<ApiKeyRow>(sql`
    select id, name, prefix, scopes, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt",
      revoked_at as "revokedAt"
    from api_key where workspace_id = ${workspaceId} order by created_at, id`)
}

/** Revokes a key, once; its digest is kept, so that it is answered as revoked and not as unknown. False: no such key. */
export async function revokeApiKey(db: Database, workspaceId: number, id: string): Promise<boolean> {
  const touched = await db.count(sql`
    update api_key set revoked_at = coalesce(revoked_at, facteur_now()) where workspace_id = ${workspaceId} and id = ${id}`)
  return touched > 0
}

export async function noteKeyUse(db: Database, workspaceId: number, id: string): Promise<void> {
  await db.count(sql`update api_key set last_used_at = facteur_now() where workspace_id = ${workspaceId} and id = ${id}`)
}

export interface DomainRow {
  name: string
  status: 'pending' | 'verified'
  createdAt: Date
  verifiedAt: Date | null
}

/** Adds a domain, or answers the one that is there. */
export async function insertDomain(db: Database, workspaceId: number, name: string): Promise<DomainRow> {
  const [row] = await db.rows<DomainRow>(sql`
    insert into domain as d (workspace_id, name, status, created_at) values (${workspaceId}, ${name}, 'pending', facteur_now())
    on conflict (workspace_id, name) do update set status = d.status
    returning name, status, created_at as "createdAt", verified_at as "verifiedAt"`)
  if (!row) throw new Error('An upsert answered no row')
  return row
}

export async function verifyDomain(db: Database, workspaceId: number, name: string): Promise<DomainRow | null> {
  const [row] = await db.rows<DomainRow>(sql`
    update domain set status = 'verified', verified_at = coalesce(verified_at, facteur_now())
    where workspace_id = ${workspaceId} and name = ${name}
    returning name, status, created_at as "createdAt", verified_at as "verifiedAt"`)
  return row ?? null
}

export function domainsOf(db: Database, workspaceId: number): Promise<DomainRow[]> {
  return db.rows<DomainRow>(sql`
    select name, status, created_at as "createdAt", verified_at as "verifiedAt" from domain
    where workspace_id = ${workspaceId} order by created_at, name`)
}

export interface SenderRow {
  id: string
  name: string | null
  email: string
  default: boolean
}

/** Registers a sender, or renames the one with this address; the first of a workspace is its default. */
export async function upsertSender(
  db: Database,
  workspaceId: number,
  sender: { id: string; name: string | null; email: string },
): Promise<SenderRow> {
  const [row] = await db.rows<SenderRow>(sql`
    insert into sender (workspace_id, id, name, email, is_default, created_at)
    values (${workspaceId}, ${sender.id}, ${sender.name}, ${sender.email},
            not exists (select from sender where workspace_id = ${workspaceId}), facteur_now())
    on conflict (workspace_id, email) do update set name = excluded.name
    returning id, name, email, is_default as "default"`)
  if (!row) throw new Error('An upsert answered no row')
  return row
}

export function sendersOf(db: Database, workspaceId: number): Promise<SenderRow[]> {
  return db.rows<SenderRow>(sql`
    select id, name, email, is_default as "default" from sender where workspace_id = ${workspaceId} order by created_at, id`)
}

export interface StandingRow {
  name: string
  slug: string
  plan: string
  monthlyQuota: number | null
  used: number
  resetsAt: Date
  handOffs: number
  bounces: number
  complaints: number
  handOffsMin: number
  bouncesMin: number
  complaintsMin: number
}

/** Plan, month and reputation of a workspace, as a send would be judged by them now. */
export async function workspaceStanding(db: Database, workspaceId: number): Promise<StandingRow> {
  const [row] = await db.rows<StandingRow>(sql`
    select w.name, w.slug, w.plan, p.monthly_quota as "monthlyQuota", coalesce(q.used, 0) as used,
      (month.first + interval '1 month') at time zone 'utc' as "resetsAt",
      coalesce(d.hand_offs, 0)::int8 as "handOffs", coalesce(d.bounces, 0)::int8 as bounces, coalesce(d.complaints, 0)::int8 as complaints,
      w.reputation_hand_offs_min as "handOffsMin", w.reputation_bounces_min as "bouncesMin", w.reputation_complaints_min as "complaintsMin"
    from workspace w join plan p on p.name = w.plan
    cross join lateral (select date_trunc('month', facteur_now() at time zone 'utc') as first) month
    left join quota_usage q on q.workspace_id = w.id and q.month = month.first::date
    cross join lateral (
      select sum(hand_offs) as hand_offs, sum(bounces) as bounces, sum(complaints) as complaints from reputation_day
      where workspace_id = w.id and epoch = w.reputation_epoch and day > (facteur_now() at time zone 'utc')::date - 30
    ) d
    where w.id = ${workspaceId}`)
  if (!row) throw new Error('The workspace is gone')
  return row
}

/** How many a campaign would reach: subscribed, and not suppressed by the workspace or the platform. */
export async function countReachable(db: Database, workspaceId: number): Promise<number> {
  const [row] = await db.rows<{ reachable: number }>(sql`
    select count(*) as reachable from subscriber s
    where s.workspace_id = ${workspaceId} and s.status = 'subscribed'
      and not exists (select from suppression x where x.workspace_id = ${workspaceId} and x.email = s.email)
      and not exists (select from platform_suppression x where x.email = s.email)`)
  return row?.reachable ?? 0
}

/** Begins a new reputation window: what was counted before is forgotten. */
export async function beginReputationEpoch(db: Database, workspaceId: number): Promise<void> {
  await db.count(sql`update workspace set reputation_epoch = reputation_epoch + 1 where id = ${workspaceId}`)
}

/** Sets the floors below which reputation suspends nothing; absent ones stay. */
export async function setReputationFloors(
  db: Database,
  workspaceId: number,
  floors: { handOffs: number | null; bounces: number | null; complaints: number | null },
): Promise<void> {
  await db.count(sql`
    update workspace set reputation_hand_offs_min = coalesce(${floors.handOffs}::int, reputation_hand_offs_min),
      reputation_bounces_min = coalesce(${floors.bounces}::int, reputation_bounces_min),
      reputation_complaints_min = coalesce(${floors.complaints}::int, reputation_complaints_min)
    where id = ${workspaceId}`)
}
