/** Memberships: the roles of users in workspaces. */
import type { Role } from '../../contract/roles.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface WorkspaceOfUser {
  id: number
  slug: string
  name: string
  role: Role
}

export interface MemberRow {
  id: string
  email: string
  name: string
  role: Role
  joinedAt: Date
  /** Whether they have a passkey, or sign in with a code beside their password. */
  secondFactor: boolean
}

/** In the order in which they joined. */
export function workspacesOf(db: Database, userId: string): Promise<WorkspaceOfUser[]> {
  return db.rows<WorkspaceOfUser>(sql`
    select w.id, w.slug, w.name, m.role from workspace_member m join workspace w on w.id = m.workspace_id
    where m.user_id = ${userId} order by m.created_at, w.id`)
}

/** Whether the user owns each workspace of the installation. */
export function ownsAllWorkspaces(db: Database, userId: string): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select not exists (
      select from workspace w where not exists (
        select
        from workspace_member m
        where m.workspace_id = w.id and m.user_id = ${userId} and m.role = 'owner'))`)
}

/** In the order in which they joined. */
export function membersOf(db: Database, workspaceId: number): Promise<MemberRow[]> {
  return db.rows<MemberRow>(sql`
    select p.id, p.email, p.name, m.role, m.created_at as joined_at,
      p.totp_since is not null or exists (select from user_passkey k where k.user_id = p.id) as second_factor
    from workspace_member m join user_account p on p.id = m.user_id
    where m.workspace_id = ${workspaceId} order by m.created_at, p.id`)
}

/** False if they are a member already, and keep their role. */
export function insertMembership(
  db: Database,
  workspaceId: number,
  userId: string,
  role: Role,
): Promise<boolean> {
  return db.changes(sql`
    insert into workspace_member (workspace_id, user_id, role)
    values (${workspaceId}, ${userId}, ${role})
    on conflict do nothing`)
}

export function roleOf(db: Database, workspaceId: number, userId: string): Promise<Role | null> {
  return db.value<Role>(sql`
    select role from workspace_member where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

/**
 * A member and the owners, locked until the transaction ends: two owners cannot step down together.
 */
export async function lockMemberRow(
  tx: Database,
  workspaceId: number,
  userId: string,
): Promise<{ email: string; role: Role; owners: number } | null> {
  const members = await tx.rows<{ id: string; email: string; role: Role }>(sql`
    select m.user_id as id, p.email, m.role from workspace_member m join user_account p on p.id = m.user_id
    where m.workspace_id = ${workspaceId} and (m.role = 'owner' or m.user_id = ${userId})
    order by m.user_id
    for update of m`)
  const member = members.find(({ id }) => id === userId)
  return member
    ? { ...member, owners: members.filter(({ role }) => role === 'owner').length }
    : null
}

export async function setRole(
  tx: Database,
  workspaceId: number,
  userId: string,
  role: Role,
): Promise<void> {
  await tx.count(sql`
    update workspace_member set role = ${role} where workspace_id = ${workspaceId} and user_id = ${userId}`)
}

export async function deleteMembership(
  tx: Database,
  workspaceId: number,
  userId: string,
): Promise<void> {
  await tx.count(
    sql`delete from workspace_member where workspace_id = ${workspaceId} and user_id = ${userId}`,
  )
}
