/**
 * Rows that are updated many times a second: the newest end of their index leads to them
 * (docs/decisions/0052-a-held-horizon.md).
 *
 * While a foreign transaction is open, PostgreSQL keeps all versions of a row, and a look-up by a
 * key that never changes passes each of them. The key of these rows ends with `moved_at`, the
 * second in which the row moved last. Only the versions of that second share a key.
 *
 * Each part pays. While a transaction was open, 300 mails a minute read these blocks of `quota_usage`
 * and `reputation_day` in the first minute and in the fourth: 4,744 and 5,246 as it is, 5,884 and
 * 17,770 without `byNewestIndex`, 9,023 and 35,187 with rows that move each second. Without
 * `fromNewestEnd`, the plan for a table of many pages and few rows reads all versions of a row, and
 * sorts them (test/db/sending/held-horizon.test.ts).
 */
import { fragment, type Fragment } from '../client/fragment.ts'

/** Moves row `p` to the present second, never back. */
export const movesToNow = fragment`moved_at = greatest(p.moved_at, date_trunc('second', facteur_now()))`

/**
 * The same for tables that keep a key of their own for the previous version: each move is checked
 * against all versions of the row, so that it moves every ten seconds.
 */
export const movesSeldom = fragment`
  moved_at = greatest(p.moved_at, date_bin('10 seconds', facteur_now(), '2000-01-01'))`

/**
 * The same tables are looked up by this of a key's first column, which their index `…_newest` begins
 * with: by the column itself, the planner may take the key of the previous version, and pass all
 * versions of the row.
 */
export const byNewestIndex = (column: Fragment): Fragment => fragment`${column} + 0`

/**
 * Stands behind the table in `select … from table … where … order by moved_at desc limit 1`, so
 * that the look-up begins at the newest end whatever VACUUM has counted. A table of few rows and
 * many pages lets the planner read all versions and sort them: it expects an index scan to read its
 * share of all pages. A series whose length it does not know seems to make a thousand lines of a
 * row. The limit takes one of them, so that the order of the index costs least.
 */
export const fromNewestEnd = fragment`cross join generate_series(1, (select 1))`
