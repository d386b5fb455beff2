/** Sessions of signed-in browsers, found by the digest of their cookie's value. */
import { limits } from '../../contract/limits.ts'
import type { Role } from '../../contract/roles.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { slugOfPath } from '../workspaces/workspaces.ts'
import { lockUser } from './users.ts'
import type { Language } from '../../ground/texts/languages.ts'

export type SignInMethod = 'password' | 'passkey' | 'link'

export interface NewSession {
  digest: Buffer
  id: string
  userId: string
  method: SignInMethod
  ip: string
  userAgent: string
}

/** A session's user, and their role in the requested workspace. */
export interface FoundSession {
  id: string
  userId: string
  email: string
  name: string
  language: Language | null
  /** Seconds since they last confirmed their identity. */
  shownSecondsAgo: number
  /** Whether its last use was stored more than a minute ago. */
  seenStale: boolean
  /** Both null where they are no member, or there is no such workspace. */
  workspaceId: number | null
  role: Role | null
}

export interface SessionRow {
  id: string
  method: SignInMethod
  ip: string
  userAgent: string
  createdAt: Date
  seenAt: Date
}

/** A session ends after two weeks without use, and any after ninety days. */
/** Stores a session; the user's least recently used ones end when there are too many. */
export async function insertSession(db: Database, session: NewSession): Promise<void> {
  await db.count(sql`
    with ended as (
      delete from user_session where digest = any (array(
        select digest
        from user_session
        where user_id = ${session.userId}
        order by seen_at desc offset ${limits.sessionsMax - 1}))
    )
    insert into user_session (digest, id, user_id, method, ip, user_agent, created_at, seen_at, shown_at,
      expires_at)
    select ${session.digest}, ${session.id}, ${session.userId}, ${session.method}, ${session.ip},
      ${session.userAgent}, now, now, now,
      now + interval '14 days'
    from facteur_now() as now`)
}

/** A null `slug` means no workspace is requested. */
export function findSession(
  db: Database,
  digest: Buffer,
  slug: string | null,
): Promise<FoundSession | null> {
  return db.row<FoundSession>(sql`
    select s.id, s.user_id, p.email, p.name, p.language,
      extract(epoch from facteur_now() - s.shown_at)::float8 as shown_seconds_ago,
      s.seen_at < facteur_now() - interval '1 minute' as seen_stale, m.workspace_id, m.role
    from user_session s join user_account p on p.id = s.user_id
    left join workspace w on w.slug = ${slug === null ? null : slugOfPath(slug)}
    left join workspace_member m on m.workspace_id = w.id and m.user_id = s.user_id
    where s.digest = ${digest} and s.expires_at > facteur_now()`)
}

export async function recordSessionUse(db: Database, digest: Buffer): Promise<void> {
  await db.count(sql`
    update user_session set seen_at = facteur_now(),
      expires_at = greatest(expires_at,
        least(facteur_now() + interval '14 days', created_at + interval '90 days'))
    where digest = ${digest}`)
}

/** Stores that the user confirmed their identity again. */
export async function markIdentityConfirmed(
  db: Database,
  userId: string,
  id: string,
): Promise<void> {
  await db.count(
    sql`update user_session set shown_at = facteur_now() where user_id = ${userId} and id = ${id}`,
  )
}

/** Locks the user until the transaction ends. False if this session of theirs is over. */
export async function lockSession(tx: Database, userId: string, id: string): Promise<boolean> {
  await lockUser(tx, userId)
  const [row] = await tx.rows(
    sql`select from user_session where user_id = ${userId} and id = ${id} and expires_at > facteur_now()`,
  )
  return row !== undefined
}

/** Sessions of a user that have not ended, the last used first. */
export function sessionsOf(db: Database, userId: string): Promise<SessionRow[]> {
  return db.rows<SessionRow>(sql`
    select id, method, ip, user_agent, created_at, seen_at
    from user_session
    where user_id = ${userId} and expires_at > facteur_now()
    order by seen_at desc, id desc`)
}

/** False means no such session of theirs. */
export function endSessionRow(db: Database, userId: string, id: string): Promise<boolean> {
  return db.changes(sql`delete from user_session where user_id = ${userId} and id = ${id}`)
}

/** Ends all of a user's sessions but one; `except` null ends all. */
export function endSessions(db: Database, userId: string, except: string | null): Promise<number> {
  return db.count(sql`
    delete from user_session
    where user_id = ${userId} and (${except}::uuid is null or id <> ${except}::uuid)`)
}
