/**
 * Renews prepared statements whose result a migration of the next version has changed. PostgreSQL
 * refuses such a statement on each connection that has prepared it ("cached plan must not change
 * result type"), for as long as the connection lives.
 */
import pg from 'pg'

/**
 * How often a statement was renewed, by its name: under a new name every connection prepares it
 * again.
 */
const renewals = new Map<string, number>()

/** The statement under its present name. */
export function currentOf<S extends { name: string }>(statement: S): S {
  const times = renewals.size === 0 ? undefined : renewals.get(statement.name)
  return times === undefined ? statement : { ...statement, name: `${statement.name}.${times}` }
}

/**
 * Returns whether the failed statement was stale. PostgreSQL did nothing of it, and its next call
 * prepares it again.
 */
export function renewIfStale(error: unknown, requested: { name: string }): boolean {
  if (!isStale(error)) return false
  const [name = '', times = '0'] = requested.name.split('.')
  // Several calls may meet it at once: one renewal is enough.
  if ((renewals.get(name) ?? 0) === Number(times)) renewals.set(name, Number(times) + 1)
  return true
}

/**
 * SQLSTATE 0A000 has other meanings; the routine that checks a cached plan names this one in any
 * language.
 */
export const isStale = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === '0A000' &&
  error.routine === 'RevalidateCachedQuery'
