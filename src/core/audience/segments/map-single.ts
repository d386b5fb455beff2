/** Goes through the conditions of a definition that hold no others. */
import type { Condition, SingleCondition } from '../../../contract/segments.ts'

/** The same definition with each of its single conditions changed; `change` receives the path of each. */
export function mapSingle(
  condition: Condition,
  path: string,
  change: (single: SingleCondition, path: string) => SingleCondition,
): Condition {
  const changeAll = (conditions: Condition[], kind: string): Condition[] =>
    conditions.map((each, index) => mapSingle(each, `${path}.${kind}.${index}`, change))
  if ('all' in condition) return { all: changeAll(condition.all, 'all') }
  if ('any' in condition) return { any: changeAll(condition.any, 'any') }
  if ('none' in condition) return { none: changeAll(condition.none, 'none') }
  return change(condition, path)
}

/** Each tag that they name, as they have it. */
export const tagsIn = (conditions: Condition[]): string[] =>
  conditions.flatMap(singlesOf).flatMap((single) => ('tag' in single ? [single.tag] : []))

export function singlesOf(condition: Condition): SingleCondition[] {
  const singles: SingleCondition[] = []
  mapSingle(condition, '', (single) => {
    singles.push(single)
    return single
  })
  return singles
}
