/** Compares texts without regard to case, by the rule of `foldCase`. */
import { part, type Fragment } from '../../../database/client/fragment.ts'
import { foldCase, lettersThatFoldTo } from '../../../ground/fold-case.ts'

/** Null where the value is. */
export function foldedIs(value: Fragment, text: string): Fragment {
  const folded = foldCase(text)
  return part`${foldFor(value, folded)} = ${folded}::text`
}

/** No pattern: `%` and `_` stand for themselves. Null where the value is. */
export function foldedContains(value: Fragment, text: string): Fragment {
  const folded = foldCase(text)
  return part`strpos(${foldFor(value, folded)}, ${folded}::text) > 0`
}

/**
 * Folds ASCII, and of the other letters those that the text has: the comparison is that of whole
 * folded texts, and most texts have none.
 */
function foldFor(value: Fragment, folded: string): Fragment {
  const { from, to } = lettersThatFoldTo(folded)
  const lower = part`lower(${value} collate "C")`
  return from === '' ? lower : part`translate(${lower}, ${from}::text, ${to}::text)`
}
