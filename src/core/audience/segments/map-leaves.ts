/** Goes through the conditions of a definition that hold no others. */
import type { Condition, SingleCondition } from '../../../contract/segments.ts'

/** The same definition with each of its leaves changed; `change` receives the path of each. */
export function mapLeaves(
  condition: Condition,
  path: string,
  change: (leaf: SingleCondition, path: string) => SingleCondition,
): Condition {
  const changeAll = (conditions: Condition[], kind: string): Condition[] =>
    conditions.map((each, index) => mapLeaves(each, `${path}.${kind}.${index}`, change))
  if ('all' in condition) return { all: changeAll(condition.all, 'all') }
  if ('any' in condition) return { any: changeAll(condition.any, 'any') }
  if ('none' in condition) return { none: changeAll(condition.none, 'none') }
  return change(condition, path)
}

export function leavesOf(condition: Condition): SingleCondition[] {
  const leaves: SingleCondition[] = []
  mapLeaves(condition, '', (leaf) => {
    leaves.push(leaf)
    return leaf
  })
  return leaves
}
