/** Signs a person in: a session of its own under a token that nobody had before, in place of the one this browser had. */
import type { Database } from '../../db/connect.ts'
import { findPerson } from '../../db/people.ts'
import { endSession, insertSession } from '../../db/sessions.ts'
import type { SignInMethod } from '../../db/sessions.ts'
import type { CallContext } from '../context.ts'
import { makeSessionToken, sessionCookie, sessionDigest } from './session-token.ts'
import { showSession } from './show-session.ts'

/** Octets of a browser's own description that are kept. */
const userAgentMax = 400

/** The answer of every sign-in. */
export async function openSession(
  ctx: CallContext,
  db: Database,
  personId: string,
  method: SignInMethod,
): Promise<{ body: ReturnType<typeof showSession>; headers: { 'Set-Cookie': string } }> {
  const { token, id } = await keepSession(ctx, db, personId, method)
  return {
    body: showSession(id, await findPerson(db, personId)),
    headers: { 'Set-Cookie': sessionCookie(token, ctx.settings.baseUrl) },
  }
}

/** A token that somebody planted in this browser is never one that is signed in (session fixation). */
export async function keepSession(
  { person, visit, makeId }: Pick<CallContext, 'person' | 'visit' | 'makeId'>,
  db: Database,
  personId: string,
  method: SignInMethod,
): Promise<{ token: string; id: string }> {
  const token = makeSessionToken()
  const id = makeId()
  if (person) await endSession(db, person.id, person.sessionId)
  const userAgent = visit.userAgent.slice(0, userAgentMax)
  await insertSession(db, { digest: sessionDigest(token), id, personId, method, ip: visit.address, userAgent })
  return { token, id }
}
