/**
 * Reads the definition of a segment as a caller wrote it: its form, and its limits. Which fields,
 * forms and campaigns there are is checked afterwards (resolve-definition.ts).
 */
import type { Condition } from '../../../contract/segments.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { shapeError } from '../../input/shape-error.ts'
import { isSingleKind, singleKinds, readSingle, type SingleKind } from './read-single.ts'
import { readObject, refuseUnknownKeys, type Written } from './written.ts'

const groupKinds = ['all', 'any', 'none'] as const
type GroupKind = (typeof groupKinds)[number]

/** Throws `validation_error` with the path of the wrong part. */
export function readDefinition(value: unknown, path = 'definition'): Condition {
  return readCondition({ value, path }, { level: 1, counts: { conditions: 0, groups: 0 } })
}

interface DefinitionPosition {
  /** Of a group that would stand here. */
  level: number
  /** Shared by the whole definition. */
  counts: { conditions: number; groups: number }
}

function readCondition(written: Written, location: DefinitionPosition): Condition {
  const kind = kindOf(written)
  if (isGroupKind(kind)) return readGroup(written, kind, location)
  count(written, location.counts, 'conditions')
  return readSingle(written, kind)
}

const isGroupKind = (key: string): key is GroupKind =>
  groupKinds.some((candidate) => candidate === key)

const isKind = (key: string): key is GroupKind | SingleKind => isGroupKind(key) || isSingleKind(key)

/** An object is exactly one condition: two would leave open how they are joined. */
function kindOf(written: Written): GroupKind | SingleKind {
  const keys = Object.keys(readObject(written))
  if (keys.includes('segment'))
    throw shapeError([{ path: `${written.path}.segment`, rule: 'segment_in_segment' }])
  const present = keys.filter(isKind)
  const [kind] = present
  if (kind === undefined || present.length > 1)
    throw shapeError([
      { path: written.path, rule: 'one_condition', allowed: [...groupKinds, ...singleKinds] },
    ])
  return kind
}

function readGroup(written: Written, kind: GroupKind, location: DefinitionPosition): Condition {
  refuseUnknownKeys(written, [kind])
  const path = `${written.path}.${kind}`
  const limit = segmentLimits.levelsMax
  if (location.level > limit) throw shapeError([{ path, rule: 'levels', limit }])
  count(written, location.counts, 'groups')
  const list = readObject(written)[kind]
  if (!Array.isArray(list)) throw shapeError([{ path, rule: 'type', expected: 'array' }])
  const inner = { ...location, level: location.level + 1 }
  const conditions = list.map((value: unknown, index) =>
    readCondition({ value, path: `${path}.${index}` }, inner),
  )
  return groupOf(kind, conditions)
}

function groupOf(kind: GroupKind, conditions: Condition[]): Condition {
  switch (kind) {
    case 'all':
      return { all: conditions }
    case 'any':
      return { any: conditions }
    case 'none':
      return { none: conditions }
  }
}

function count(
  { path }: Written,
  counts: DefinitionPosition['counts'],
  what: keyof DefinitionPosition['counts'],
): void {
  const limit = segmentLimits.conditionsMax
  if (++counts[what] > limit) throw shapeError([{ path, rule: 'conditions', limit }])
}
