/** Makes session cookies: 256 random bits that only this host can set and no script can read. */
import { hash, randomBytes } from 'node:crypto'
import { leadsHere } from '../../ground/is-loopback.ts'

/** Ninety days: longer than any session. */
const cookieSeconds = 90 * 86_400

export const makeSessionToken = (): string => randomBytes(32).toString('base64url')

/** The stored form of a token. */
export const sessionDigest = (token: string): Buffer => hash('sha256', token, 'buffer')

/**
 * Returns the session digest from a request's cookies, of which `name` is ours. Null if there is
 * none.
 */
export function readSessionCookie(header: string | undefined, name: string): Buffer | null {
  const start = `${name}=`
  const pair = header?.split(/; */).find((text) => text.startsWith(start))
  const token = pair?.slice(start.length) ?? ''
  return /^[\w-]{43}$/.test(token) ? sessionDigest(token) : null
}

/** Writes `Set-Cookie` for a session; null deletes the cookie. */
export function sessionCookie(token: string | null, baseUrl: string): string {
  const secure = isPlainLoopback(baseUrl) ? '' : '; Secure'
  return `${sessionCookieName(baseUrl)}=${token ?? ''}; Path=/; Max-Age=${token === null ? 0 : cookieSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * RFC 6265bis 4.1.3.2: a browser accepts a `__Host-` cookie only from this exact host over https.
 */
export const sessionCookieName = (baseUrl: string): string =>
  isPlainLoopback(baseUrl) ? 'facteur-session' : '__Host-facteur-session'

/** The only case in which a cookie may travel without TLS: it does not leave the machine. */
const isPlainLoopback = (baseUrl: string): boolean =>
  new URL(baseUrl).protocol === 'http:' && leadsHere(baseUrl)
