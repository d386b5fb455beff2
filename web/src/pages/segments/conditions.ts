/**
 * The definition of a segment while a user writes it: conditions may still lack a value, and the
 * whole is always a group.
 */
import type {
  Condition,
  ContactDate,
  EngagementCondition,
  FieldOperator,
  Group,
  SingleCondition,
} from '../../../../src/contract/segments.ts'
import type { FieldType } from '../../../../src/contract/field-types.ts'

export const groupKinds = ['all', 'any', 'none'] as const
export type GroupKind = (typeof groupKinds)[number]

export const dateKinds = [
  'created',
  'subscribed',
  'confirmed',
  'consented',
  'unsubscribed',
] as const satisfies ContactDate[]
export const engagementKinds = ['received', 'opened', 'clicked'] as const
export const singleKinds = [
  'tag',
  'field',
  'status',
  'source',
  'language',
  ...dateKinds,
  ...engagementKinds,
] as const
export type SingleKind = (typeof singleKinds)[number]

export const operatorsOf = {
  text: ['is', 'is_not', 'contains', 'empty'],
  number: ['is', 'is_not', 'above', 'below', 'empty'],
  date: ['is', 'is_not', 'within_days', 'before', 'after', 'empty'],
  boolean: ['is', 'is_not', 'empty'],
  choice: ['is', 'is_not', 'empty'],
} as const satisfies Record<FieldType, readonly FieldOperator[]>

export const isGroup = (condition: Condition): condition is Group =>
  groupKinds.some((kind) => kind in condition)

export const kindOfGroup = (group: Group): GroupKind =>
  groupKinds.find((kind) => kind in group) ?? 'all'

export function groupOf(kind: GroupKind, conditions: Condition[]): Group {
  if (kind === 'all') return { all: conditions }
  return kind === 'any' ? { any: conditions } : { none: conditions }
}

export const partsOf = (group: Group): Condition[] =>
  'all' in group ? group.all : 'any' in group ? group.any : group.none

/** A condition that stands alone is the only one of its group. */
export const asGroup = (definition: Condition): Group =>
  isGroup(definition) ? definition : { all: [definition] }

export const kindOfSingle = (condition: SingleCondition): SingleKind =>
  singleKinds.find((kind) => kind in condition) ?? 'tag'

/** A new condition of a kind, with the values that need no choice. */
export function newCondition(kind: SingleKind): SingleCondition {
  switch (kind) {
    case 'tag':
      return { tag: '' }
    case 'field':
      return { field: '', is: '' }
    case 'status':
      return { status: 'subscribed' }
    case 'source':
      return { source: 'form' }
    case 'language':
      return { language: 'fr' }
    case 'opened':
      return { opened: { within_days: 90, by: 'person' } }
    case 'received':
      return { received: { within_days: 90 } }
    case 'clicked':
      return { clicked: { within_days: 90 } }
    case 'created':
      return { created: { within_days: 90 } }
    case 'subscribed':
      return { subscribed: { within_days: 90 } }
    case 'confirmed':
      return { confirmed: { within_days: 90 } }
    case 'consented':
      return { consented: { within_days: 90 } }
    case 'unsubscribed':
      return { unsubscribed: { within_days: 90 } }
  }
}

/** Whether no value is missing: the service counts only such a definition. */
export function hasAllValues(condition: Condition): boolean {
  if (isGroup(condition)) return partsOf(condition).every(hasAllValues)
  const texts = Object.values(condition).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? Object.values(value) : [value],
  )
  return texts.every((value: unknown) => value !== '' && !Number.isNaN(value))
}

export const isEngagement = (condition: SingleCondition): condition is EngagementCondition =>
  engagementKinds.some((kind) => kind in condition)

/** Each part of a row gets its condition, and hands over the changed one. */
export interface ValueProps<Of extends SingleCondition> {
  condition: Of
  onChange: (condition: SingleCondition) => void
  disabled: boolean
}
