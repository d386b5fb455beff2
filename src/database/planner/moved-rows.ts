/**
 * Rows that are updated many times a second: the newest end of their index leads to them
 * (docs/decisions/0052-a-held-horizon.md).
 *
 * While a foreign transaction is open, PostgreSQL keeps all versions of a row, and a look-up by a
 * key that never changes passes each of them. The key of these rows ends with `moved_at`, the
 * second in which the row moved last. Only the versions of that second share a key.
 */
import { fragment } from '../client/fragment.ts'

/** Moves row `p` to the present second, never back. */
export const movesToNow = fragment`moved_at = greatest(p.moved_at, date_trunc('second', facteur_now()))`

/**
 * The same for tables that keep a key of their own for the previous version: each move is checked
 * against all versions of the row, so that it moves every ten seconds.
 */
export const movesSeldom = fragment`
  moved_at = greatest(p.moved_at, date_bin('10 seconds', facteur_now(), '2000-01-01'))`

/**
 * Stands behind the table in `select … from table … where … order by moved_at desc limit 1`, so
 * that the look-up begins at the newest end whatever VACUUM has counted. A table of few rows and
 * many pages lets the planner read all versions and sort them: it expects an index scan to read its
 * share of all pages. A series whose length it does not know seems to make a thousand lines of a
 * row. The limit takes one of them, so that the order of the index costs least.
 */
export const fromNewestEnd = fragment`cross join generate_series(1, (select 1))`
