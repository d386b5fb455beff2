/** Signs a person in: a session of its own under a token that nobody had before, in place of the one this browser had. */
import type { Database } from '../../db/connection/connect.ts'
import { findUser } from '../../db/users/users.ts'
import { endSessionRow, insertSession } from '../../db/users/sessions.ts'
import type { SignInMethod } from '../../db/users/sessions.ts'
import type { CallContext } from '../context.ts'
import { makeSessionToken, sessionCookie, sessionDigest } from './session-token.ts'
import { presentSession } from './present-session.ts'

/** Octets of a browser's own description that are kept. */
const userAgentMax = 400

/** The answer of every sign-in. */
export async function openUserSession(
  ctx: CallContext,
  db: Database,
  personId: string,
  method: SignInMethod,
): Promise<{ body: ReturnType<typeof presentSession>; headers: { 'Set-Cookie': string } }> {
  const { token, id } = await storeSession(ctx, db, personId, method)
  return {
    body: presentSession(id, await findUser(db, personId)),
    headers: { 'Set-Cookie': sessionCookie(token, ctx.settings.baseUrl) },
  }
}

/** A token that somebody planted in this browser is never one that is signed in (session fixation). */
export async function storeSession(
  { user, requester, makeId }: Pick<CallContext, 'user' | 'requester' | 'makeId'>,
  db: Database,
  personId: string,
  method: SignInMethod,
): Promise<{ token: string; id: string }> {
  const token = makeSessionToken()
  const id = makeId()
  if (user) await endSessionRow(db, user.id, user.sessionId)
  const userAgent = requester.userAgent.slice(0, userAgentMax)
  await insertSession(db, { digest: sessionDigest(token), id, personId, method, ip: requester.address, userAgent })
  return { token, id }
}
