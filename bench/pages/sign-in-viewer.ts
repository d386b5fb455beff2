/** Users of workspace 1, who read its pages and change nothing, with a browser's user agent. */
import {
  makeSessionToken,
  sessionCookie,
  sessionDigest,
} from '../../src/core/identity/session-token.ts'
import type { Connection } from '../../src/database/client/connect.ts'
import { insertMembership } from '../../src/db/users/memberships.ts'
import { insertUser } from '../../src/db/users/users.ts'
import { insertSession } from '../../src/db/users/sessions.ts'
import { makeIds } from '../../src/ground/ids.ts'

/** Answers the cookie of a new user: the requests of each user are limited by the minute. */
export const signInViewer = (db: Connection, baseUrl: string): Promise<string> =>
  signIn(db, baseUrl, 'viewer')

/** The same for one who may read everything. */
export const signInOwner = (db: Connection, baseUrl: string): Promise<string> =>
  signIn(db, baseUrl, 'owner')

async function signIn(db: Connection, baseUrl: string, role: 'viewer' | 'owner'): Promise<string> {
  const makeId = makeIds(() => Date.now())
  const id = makeId()
  const userId = await insertUser(db, { id, email: `${id}@example.com`, name: '' })
  if (userId === null) throw new Error('There is somebody already')
  await insertMembership(db, 1, userId, role)
  const token = makeSessionToken()
  const session = {
    digest: sessionDigest(token),
    id: makeId(),
    userId,
    method: 'password',
  } as const
  await insertSession(db, { ...session, ip: '127.0.0.1', userAgent: 'bench' })
  return sessionCookie(token, baseUrl).split(';')[0] ?? ''
}
