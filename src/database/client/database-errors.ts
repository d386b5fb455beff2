/**
 * Classifies errors of the database: lost connections, conflicts between transactions, and a lack
 * that passes.
 */
import pg from 'pg'
import { isConnectionError } from './database-client.ts'
import { NoPrimaryError } from './servers.ts'

/** The SQLSTATE of an error of the database; null for any other error. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** SQLSTATE 23505: a unique index holds another such row. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505'

/** Whether a new try of the same transaction may pass. */
export const isRetryable = (error: unknown): boolean => retryable.has(sqlState(error) ?? '')

/**
 * Serialization failure, deadlock; and, of Citus: the cell went to another node between two parts
 * of the statement, so that what the first one found lies on the old one (CIINF).
 */
const retryable = new Set(['40001', '40P01', 'CIINF'])

/**
 * Whether the connection was lost or refused, so that the last statement may or may not be
 * committed. That is an error of the socket or of the host's name, or a SQLSTATE by which the
 * server ends or refuses connections.
 */
export function lostConnection(error: unknown): boolean {
  if (error instanceof NoPrimaryError) return true
  const state = sqlState(error)
  if (state !== null)
    return state.startsWith('08') || endsConnections.has(state) || refusesConnections(error)
  if (!(error instanceof Error) || error instanceof TypeError) return false
  return isConnectionError(error)
    ? connectionCodes.test(`${codeOf(error)} ${error.message}`)
    : connectionWords.test(error.message)
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

/**
 * The server stops, crashed, starts or dropped the database; a session was idle or a transaction
 * open for too long (PostgreSQL, appendix A).
 */
const endsConnections = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04'])

/**
 * ALTER DATABASE … ALLOW_CONNECTIONS false. SQLSTATE 55000 has other, lasting meanings, and the
 * server may use any language. The name of the routine that checks the database at the connection
 * identifies this one.
 */
const refusesConnections = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55000' && error.routine === 'CheckMyDatabase'

/** pg's own words for a connection that is gone. */
const connectionWords = /Connection terminated|timeout exceeded|not queryable|Query read timeout/

const connectionCodes = new RegExp(
  `ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|${connectionWords.source}`,
)

/**
 * Whether the same statement may pass a little later: the connection was lost, two transactions
 * met, or one of `passing`.
 */
export function passesLater(error: unknown): boolean {
  const state = sqlState(error) ?? ''
  return (
    lostConnection(error) || isRetryable(error) || passing.has(state) || serverFails.test(state)
  )
}

/**
 * The server itself fails: by the system below it (class 58), or by its own programs, which another
 * version replaced while it ran (XX000: a library that does not load). Damaged data (XX001, XX002)
 * stays damaged.
 */
const serverFails = /^(?:58...|XX000)$/

/**
 * The server is short of resources, disk, memory or connections (53000 to 53300, not 53400: a limit
 * that was configured stays). A lock or the statement's time ran out (55P03, 57014). The server is
 * read-only until a failover ends (25006). The workspace moves to another cell (FM001, from our own
 * triggers).
 */
const passing = new Set(['53000', '53100', '53200', '53300', '55P03', '57014', '25006', 'FM001'])

/**
 * The triggers of a move refused the change: the last step of the workspace's move is under way, or
 * it has left this cell.
 */
export const refusedByMove = (error: unknown): boolean => sqlState(error) === 'FM001'

/** Of the statement, or of the step that failed by it. */
export const isFullDisk = (error: unknown): boolean =>
  sqlState(error) === '53100' ||
  (error instanceof Error && error.cause !== undefined && isFullDisk(error.cause))

/** For a broken variant of the sweep: a full disk is an error like any other. */
export const ignoreFullDisk = (): void => void passing.delete('53100')

/**
 * The server takes no writes any more: its connections close, and the next one finds the primary.
 * Not a refusal of our own triggers.
 */
export const isReadOnlyServer = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.code === '25006' && error.routine !== 'exec_stmt_raise'

/**
 * Failures that close the connection of a statement: all but a refusal of the server, after
 * which it takes the next one.
 */
export const brokenBy = (error: unknown): Error | undefined =>
  sqlState(error) !== null && !lostConnection(error) && !isReadOnlyServer(error)
    ? undefined
    : error instanceof Error
      ? error
      : new Error(String(error))
