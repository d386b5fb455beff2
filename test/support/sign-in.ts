/** A signed-in browser, made in the database: what it sends as its cookie, and calls by it. */
import {
  makeSessionToken,
  sessionCookie,
  sessionDigest,
} from '../../src/core/identity/session-token.ts'
import type { Role } from '../../src/contract/roles.ts'
import { insertMembership } from '../../src/db/users/memberships.ts'
import { insertUser } from '../../src/db/users/users.ts'
import { insertSession } from '../../src/db/users/sessions.ts'
import type { Api } from './api.ts'
import { ask, type Answer, type Requested } from './ask.ts'

export interface Visitor {
  userId: string
  email: string
  /** As the header `Cookie`. */
  cookie: string
  /**
   * One call of this browser, such as `GET /people/api/v1/session`; a change names our origin by
   * default.
   */
  ask(line: string, requested?: Requested): Promise<Answer>
}

/** A signed-in user who is a member of each workspace by its number. */
export async function signIn(
  api: Api,
  options: { email?: string; password?: string; in?: Record<number, Role> } = {},
): Promise<Visitor> {
  const { service } = api
  const email = options.email ?? `${service.makeId()}@people.test`
  const password =
    options.password === undefined
      ? {}
      : { password: await service.passwords.hash(options.password) }
  const userId = await insertUser(service.db, {
    id: service.makeId(),
    email,
    name: '',
    ...password,
  })
  if (userId === null) throw new Error(`There is somebody with ${email} already`)
  for (const [workspaceId, role] of Object.entries(options.in ?? {})) {
    await insertMembership(service.db, Number(workspaceId), userId, role)
  }
  const token = makeSessionToken()
  const session = {
    digest: sessionDigest(token),
    id: service.makeId(),
    userId,
    method: 'password',
  } as const
  await insertSession(service.db, { ...session, ip: '127.0.0.1', userAgent: 'test' })
  return { userId, email, ...browser(api, sessionCookie(token, service.settings.baseUrl)) }
}

/** A browser with what an answer set as its cookie, or with none. */
export function browser(
  api: Pick<Api, 'baseUrl'>,
  setCookie: string | null,
): Pick<Visitor, 'cookie' | 'ask'> {
  const cookie = setCookie?.split(';')[0] ?? ''
  return {
    cookie,
    ask: (line, requested = {}) =>
      ask(api.baseUrl, line, {
        ...requested,
        headers: { cookie, ...originOf(api, line), ...requested.headers },
      }),
  }
}

const originOf = ({ baseUrl }: Pick<Api, 'baseUrl'>, line: string): Record<string, string> =>
  line.startsWith('GET ') ? {} : { origin: baseUrl }
