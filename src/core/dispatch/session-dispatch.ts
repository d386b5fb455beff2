/**
 * Dispatches calls of signed-in users: cookie → session → rate → origin → membership → role → fresh
 * → intake → database → shape → verb → answer.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import { isAtLeast, type Role } from '../../contract/roles.ts'
import { findSession, recordSessionUse, type FoundSession } from '../../db/users/sessions.ts'
import type { Context, Service, SignedIn } from '../context.ts'
import { openIntake, type Intake } from '../intake.ts'
import { readSessionCookie, sessionCookieName } from '../identity/session-token.ts'
import { noSuchAddress, type Answer, type Call } from './call.ts'
import type { CountRequest } from './count-request.ts'
import { answerCall, noKey } from './dispatch.ts'
import { countByAddress } from './identify.ts'
import { isOwnPage } from './check-origin.ts'

/**
 * `slug`: the requested workspace; null for calls outside workspaces. Rejects only with CallerLeft.
 */
export type SessionDispatch = (call: Call, slug: string | null) => Promise<Answer>

/** How long a user's last proof of identity is valid, in minutes. */
export const freshMinutes = 15

export function createSessionDispatch(
  ctx: Service,
  countRequest: CountRequest,
  intake: Intake = openIntake(),
): SessionDispatch {
  const cookieName = sessionCookieName(ctx.settings.baseUrl)
  return (call, slug) =>
    answerCall(ctx, { call, intake }, async (answer) => {
      const digest = readSessionCookie(call.headers.cookie, cookieName)
      const session = digest && (await findUser(ctx, digest, slug))
      // A session has its own rate; a visitor without one is counted by address.
      await countByAddress(
        countRequest,
        session ? { address: `session ${session.id}` } : call,
        answer,
      )
      if (call.operation === null) throw noSuchAddress(call)
      const operation: Operation = operations[call.operation]
      checkOrigin(ctx, call, operation)
      const user = checkUser(session, operation, answer)
      // Where the body may be missing, one that comes is checked when it is read.
      if (operation.body && !operation.optionalBody) checkJson(call)
      return { apiKey: noKey, user }
    })
}

async function findUser(
  ctx: Context,
  digest: Buffer,
  slug: string | null,
): Promise<FoundSession | null> {
  const session = await findSession(ctx.db, digest, slug)
  if (session?.seenStale) {
    recordSessionUse(ctx.countingDb, digest).catch((error: unknown) =>
      ctx.log.warn(
        { err: error },
        'The last use of a session was not recorded; its next call records it',
      ),
    )
  }
  return session
}

/** A changing request must come from a page of ours; the browser names its origin (OWASP, CSRF). */
function checkOrigin(ctx: Context, { headers }: Call, { method }: Operation): void {
  if (method === 'GET') return
  if (!isOwnPage(headers, ctx.settings.baseUrl)) throw new ApiError('foreign_origin')
}

/**
 * Forms and foreign pages cannot send this type without a preflight request (Fetch: CORS-safelisted
 * request-header).
 */
function checkJson({ headers }: Call): void {
  if (!/^\s*application\/json\s*(?:;.*)?$/i.test(headers['content-type'] ?? '')) {
    const expected = 'application/json'
    throw new ApiError('validation_error', {
      path: '',
      rule: 'content_type',
      expected,
      hint: 'content_type',
    })
  }
}

/**
 * Returns null for a visitor who is not signed in, where the operation allows that; else throws. A
 * non-member gets the same refusal as a stranger.
 */
function checkUser(
  session: FoundSession | null,
  operation: Operation,
  answer: Answer,
): SignedIn | null {
  if (operation.entry === 'user') {
    if (!session && operation.scope !== 'none') throw new ApiError('not_signed_in')
    if (session) checkFresh(session, operation)
    return session && signedIn(session, 'viewer')
  }
  if (!session) throw new ApiError('not_signed_in')
  const { workspaceId, role } = session
  if (workspaceId === null || role === null) throw new ApiError('not_found')
  answer.workspaceId = workspaceId
  const needed = operation.role ?? (operation.method === 'GET' ? 'viewer' : 'editor')
  if (!isAtLeast(role, needed)) throw new ApiError('insufficient_role', { required: needed, role })
  checkFresh(session, operation)
  return signedIn(session, role)
}

function checkFresh({ shownSecondsAgo }: FoundSession, { fresh }: Operation): void {
  if (fresh && shownSecondsAgo > freshMinutes * 60)
    throw new ApiError('fresh_sign_in_required', { within_minutes: freshMinutes })
}

const signedIn = ({ id, userId, email }: FoundSession, role: Role): SignedIn => ({
  id: userId,
  email,
  role,
  sessionId: id,
})
