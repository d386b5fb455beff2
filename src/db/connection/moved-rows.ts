/**
 * Rows that are updated many times a second: the newest end of their index leads to them (docs/decisions/0052-a-held-horizon.md).
 *
 * While a foreign transaction is open, PostgreSQL keeps all versions of a row, and a look-up by a key that never changes passes each of
 * them. The key of these rows ends with `moved_at`, the second in which the row moved last. Only the versions of that second share a key.
 */
import { fragment } from './connect.ts'

/** Moves row `p` to the present second, never back. */
export const movesToNow = fragment`moved_at = greatest(p.moved_at, date_trunc('second', facteur_now()))`

/**
 * The same for tables that keep a key of their own for the previous version: each move is checked against all versions of the row, so
 * that it moves every ten seconds.
 */
export const movesSeldom = fragment`moved_at = greatest(p.moved_at, date_bin('10 seconds', facteur_now(), '2000-01-01'))`
