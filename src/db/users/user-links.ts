/** Links that work once, each for one purpose: found by the digest of their token. */
import type { Role } from '../../contract/roles.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export type UserLinkPurpose = 'set_up' | 'invitation' | 'reset'

export interface NewUserLink {
  digest: Buffer
  id: string
  purpose: UserLinkPurpose
  /** For how long it works, in hours. */
  hours: number
  workspaceId?: number
  email?: string
  role?: Role
  /** The user who created it. */
  madeBy?: string | null
  /** The user whose new password it is for. */
  userId?: string
  /** Whether it goes out by mail and appears in no answer. */
  mailed?: boolean
}

export interface UserLinkRow {
  id: string
  workspaceId: number | null
  email: string | null
  role: Role | null
  userId: string | null
  /** Whether it was mailed, so that its use proves access to that mailbox. */
  mailed: boolean
  /** The address of the user who created it. Null means the operator. */
  madeBy: string | null
  createdAt: Date
  expiresAt: Date
}

export async function insertUserLink(db: Database, link: NewUserLink): Promise<void> {
  await db.count(sql`
    insert into user_link (digest, id, purpose, workspace_id, email, role, made_by, user_id, mailed,
      expires_at)
    values (${link.digest}, ${link.id}, ${link.purpose}, ${link.workspaceId ?? null}, ${link.email ?? null},
      ${link.role ?? null},
      ${link.madeBy ?? null}, ${link.userId ?? null}, ${link.mailed ?? false},
      facteur_now() + ${link.hours}::float8 * interval '1 hour')`)
}

/** Null if there is no such link of this purpose, or it has expired. */
export function findUserLink(
  db: Database,
  purpose: UserLinkPurpose,
  digest: Buffer,
): Promise<UserLinkRow | null> {
  return db.row<UserLinkRow>(sql`
    select l.id, l.workspace_id, l.email, l.role, l.user_id, l.mailed, p.email as made_by,
      l.created_at, l.expires_at
    from user_link l left join user_account p on p.id = l.made_by
    where l.digest = ${digest} and l.purpose = ${purpose} and l.expires_at > facteur_now()`)
}

/** Uses it up: it works once. Null as above. */
export function takeUserLink(
  tx: Database,
  purpose: UserLinkPurpose,
  digest: Buffer,
): Promise<UserLinkRow | null> {
  return tx.row<UserLinkRow>(sql`
    delete from user_link where digest = ${digest} and purpose = ${purpose} and expires_at > facteur_now()
    returning id, workspace_id, email, role, user_id, mailed, null as made_by, created_at,
      expires_at`)
}

/** Deletes all links that could still set the installation up. */
export async function dropSetUpLinks(tx: Database): Promise<void> {
  await tx.count(sql`delete from user_link where purpose = 'set_up'`)
}

export async function dropResetLinks(tx: Database, userId: string): Promise<void> {
  await tx.count(sql`delete from user_link where user_id = ${userId} and purpose = 'reset'`)
}

/** Invitations of a workspace that still work, newest first. */
export function invitationsOf(db: Database, workspaceId: number): Promise<UserLinkRow[]> {
  return db.rows<UserLinkRow>(sql`
    select l.id, l.workspace_id, l.email, l.role, l.user_id, l.mailed, p.email as made_by,
      l.created_at, l.expires_at
    from user_link l left join user_account p on p.id = l.made_by
    where l.workspace_id = ${workspaceId} and l.purpose = 'invitation' and l.expires_at > facteur_now()
    order by l.id desc`)
}

export async function dropInvitations(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<void> {
  await tx.count(sql`
    delete from user_link
    where workspace_id = ${workspaceId} and purpose = 'invitation' and email = ${email}`)
}

export async function dropInvitationsBy(
  tx: Database,
  workspaceId: number,
  userId: string,
): Promise<void> {
  await tx.count(sql`
    delete from user_link
    where workspace_id = ${workspaceId} and purpose = 'invitation' and made_by = ${userId}`)
}

/** Deletes an invitation; answers its address, null when there is none. */
export function dropInvitation(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<string | null> {
  return tx.value<string>(sql`
    delete from user_link
    where workspace_id = ${workspaceId} and id = ${id} and purpose = 'invitation'
    returning email`)
}
