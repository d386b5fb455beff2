/**
 * Words for why the database cannot be used, by the code of the system or of PostgreSQL (appendix
 * A): for one server and for several.
 */
import { escapesInLogin } from '../../ground/login-in-url.ts'

/** Null if there are none for this error. */
export const connectionReason = (error: unknown): string | null =>
  reasons[connectionCode(error)] ?? null

/** SQLSTATE classes 08, 28, 3D, 53, 57 and the system's codes. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the server closed the connection',
  ENOENT: 'there is no such socket',
  EACCES: 'the socket may not be opened',
  ERR_INVALID_URL: `this is not an address; ${escapesInLogin}`,
  URIError: `a % escape in user or password is broken; ${escapesInLogin}`,
  '28P01': 'user or password are wrong',
  '28000': 'the server refuses this user',
  '3D000': 'the server has no such database',
  '42501': 'the user may not create tables in this database',
  '53300': 'the server has no connection left',
  '57P03': 'the server is still starting or going down',
}

/** Of the error itself, or of the first cause that has one; empty where none has. */
export function connectionCode(error: unknown): string {
  if (error instanceof AggregateError) return connectionCode(error.errors[0])
  if (!(error instanceof Error)) return ''
  if (error instanceof URIError) return 'URIError'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause
    ? connectionCode(error.cause)
    : error.message.includes('timeout')
      ? 'ETIMEDOUT'
      : ''
}
