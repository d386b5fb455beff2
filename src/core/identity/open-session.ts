/** Signs a user in: a new session with a new token replaces this browser's previous one. */
import type { Database } from '../../database/client/database.ts'
import { findUser } from '../../db/users/users.ts'
import { endSessionRow, insertSession, type SignInMethod } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { makeSessionToken, sessionCookie, sessionDigest } from './session-token.ts'
import { presentSession } from './present-session.ts'

/** Bytes of a browser's user agent that are stored. */
const userAgentMax = 400

/** Returns the answer of every sign-in. */
export async function openUserSession(
  ctx: CallContext,
  db: Database,
  { userId, method }: { userId: string; method: SignInMethod },
): Promise<{ body: ReturnType<typeof presentSession>; headers: { 'Set-Cookie': string } }> {
  const { token, id } = await storeSession(ctx, db, { userId, method })
  return {
    body: presentSession(id, await findUser(db, userId)),
    headers: { 'Set-Cookie': sessionCookie(token, ctx.settings.baseUrl) },
  }
}

/**
 * A token that an attacker planted in this browser never becomes a signed-in one (session
 * fixation).
 */
export async function storeSession(
  { user, requester, makeId }: Pick<CallContext, 'user' | 'requester' | 'makeId'>,
  db: Database,
  { userId, method }: { userId: string; method: SignInMethod },
): Promise<{ token: string; id: string }> {
  const token = makeSessionToken()
  const id = makeId()
  if (user) await endSessionRow(db, user.id, user.sessionId)
  const userAgent = requester.userAgent.slice(0, userAgentMax)
  await insertSession(db, {
    digest: sessionDigest(token),
    id,
    userId,
    method,
    ip: requester.address,
    userAgent,
  })
  return { token, id }
}
