/** Writes the filter of a list as the definition of a segment. */
import type { Condition } from '../../../../../src/contract/segments.ts'
import type { Matching } from './selection.ts'

/** A searched text is no condition: the dialog says that it is left out. */
export function definitionOf({
  status,
  tag,
  source,
  field,
  value,
  definition,
}: Matching): Condition {
  const all: Condition[] = [
    ...(status ? [{ status }] : []),
    ...(tag ? [{ tag }] : []),
    ...(source ? [{ source }] : []),
    ...(field ? [value ? { field, is: value } : { field, empty: false }] : []),
  ]
  // The list made the definition of conditions itself.
  const own = definition as Condition | undefined
  if (own === undefined) return { all }
  if (all.length === 0) return own
  return { all: [...all, ...('all' in own ? own.all : [own])] }
}
