/** Writes the filter of a list as the definition of a segment. */
import type { Condition } from '../../../../../src/contract/segments.ts'
import { asGroup } from '../../segments/conditions.ts'
import type { Segment } from '../use-segment.ts'
import type { Matching } from './selection.ts'

/** A searched text is no condition: the dialog says that it is left out. */
export function definitionOf(
  { status, tag, source, field, value, segment, definition }: Matching,
  segments: Segment[],
): Condition {
  const stored = segments.find(({ id }) => id === segment)
  // The service stores no other conditions, and the list made those of its own.
  const whole = [stored?.definition, definition].flatMap((each) =>
    each ? [each as Condition] : [],
  )
  const all: Condition[] = [
    ...(status ? [{ status }] : []),
    ...(tag ? [{ tag }] : []),
    ...(source ? [{ source }] : []),
    ...(field ? [value ? { field, is: value } : { field, empty: false }] : []),
  ]
  const [only, ...others] = whole
  if (all.length === 0 && only !== undefined && others.length === 0) return only
  const parts = whole.map(asGroup).flatMap((each) => ('all' in each ? each.all : [each]))
  return { all: [...all, ...parts] }
}
