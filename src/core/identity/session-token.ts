/** What a signed-in browser holds: 256 random bits in a cookie that only this host can set and no script can read. */
import { hash, randomBytes } from 'node:crypto'
import { isLoopback } from '../../mail/smtp-client/relay.ts'

/** Ninety days: longer than any session. */
const cookieSeconds = 90 * 86_400

export const makeSessionToken = (): string => randomBytes(32).toString('base64url')

/** What is kept of a token. */
export const sessionDigest = (token: string): Buffer => hash('sha256', token, 'buffer')

/** The digest of the session that a request's cookies name; null: none. */
export function readSessionCookie(header: string | undefined, baseUrl: string): Buffer | null {
  const start = `${cookieName(baseUrl)}=`
  const pair = header?.split(/; */).find((text) => text.startsWith(start))
  const token = pair?.slice(start.length) ?? ''
  return /^[\w-]{43}$/.test(token) ? sessionDigest(token) : null
}

/** `Set-Cookie` for a session; null takes the cookie away. */
export function sessionCookie(token: string | null, baseUrl: string): string {
  const secure = isPlainLoopback(baseUrl) ? '' : '; Secure'
  return `${cookieName(baseUrl)}=${token ?? ''}; Path=/; Max-Age=${token === null ? 0 : cookieSeconds}; HttpOnly; SameSite=Lax${secure}`
}

/** RFC 6265bis 4.1.3.2: a browser takes a `__Host-` cookie from this very host over https alone. */
const cookieName = (baseUrl: string): string => (isPlainLoopback(baseUrl) ? 'facteur-session' : '__Host-facteur-session')

/** The one place where a cookie may go without TLS: it does not leave the machine. */
const isPlainLoopback = (baseUrl: string): boolean => new URL(baseUrl).protocol === 'http:' && leadsHere(baseUrl)

/** Whether an address leads to this very machine. */
export const leadsHere = (url: string): boolean => isLoopback(new URL(url).hostname.replaceAll(/^\[|\]$/g, ''))
