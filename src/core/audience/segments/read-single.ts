/** Reads a condition that holds no others: about a tag, a field, a word, a date or engagement. */
import { fieldPatterns } from '../../../contract/field-types.ts'
import {
  contactDates,
  engagementKinds,
  openers,
  type DateTest,
  type EngagementTest,
  type FieldOperator,
  type FieldTest,
  type LastTest,
  type SingleCondition,
} from '../../../contract/segments.ts'
import { subscriberStatuses } from '../../../contract/subscribers.ts'
import { subscriberSources } from '../../../contract/workspace/audience.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { shapeError } from '../../input/shape-error.ts'
import {
  memberOf,
  readFieldValue,
  readObject,
  readOneKey,
  readTrue,
  readUuid,
  readValue,
  readCount,
  readWord,
  refuseUnknownKeys,
  type Written,
} from './written.ts'
import { recipientLanguages } from '../../../ground/texts/languages.ts'

export const singleKinds = [
  'tag',
  'field',
  'status',
  'source',
  'language',
  ...contactDates,
  ...engagementKinds,
] as const
export type SingleKind = (typeof singleKinds)[number]

export const isSingleKind = (kind: string): kind is SingleKind =>
  singleKinds.some((candidate) => candidate === kind)

/** Throws `validation_error` with the path of the wrong part. */
export function readSingle(written: Written, kind: SingleKind): SingleCondition {
  if (kind === 'field') return readField(written)
  if (kind === 'source') return readSource(written)
  refuseUnknownKeys(written, [kind])
  const part = memberOf(written, kind)
  switch (kind) {
    case 'tag':
      return { tag: readValue(part) }
    case 'status':
      return { status: readWord(part, subscriberStatuses) }
    case 'language':
      return { language: readWord(part, recipientLanguages) }
    case 'created':
      return { created: readDates(part) }
    case 'subscribed':
      return { subscribed: readDates(part) }
    case 'confirmed':
      return { confirmed: readDates(part) }
    case 'consented':
      return { consented: readDates(part) }
    case 'unsubscribed':
      return { unsubscribed: readDates(part) }
    case 'received':
      return { received: readEngagement(part) }
    case 'opened':
      return { opened: readOpened(part) }
    case 'clicked':
      return { clicked: readEngagement(part) }
  }
}

function readSource(written: Written): SingleCondition {
  refuseUnknownKeys(written, ['source', 'form'])
  const source = readWord(memberOf(written, 'source'), subscriberSources)
  const form = memberOf(written, 'form')
  if (form.value === undefined) return { source }
  if (source !== 'form') throw shapeError([{ path: form.path, rule: 'form_of_source' }])
  return { source, form: readValue(form) }
}

const operators: readonly FieldOperator[] = [
  'is',
  'is_not',
  'contains',
  'before',
  'after',
  'above',
  'below',
  'within_days',
  'empty',
]

function readField(written: Written): SingleCondition {
  refuseUnknownKeys(written, ['field', ...operators])
  const field = readValue(memberOf(written, 'field'))
  const operator = readOneKey(written, operators)
  return { field, ...readTest(memberOf(written, operator), operator) }
}

function readTest(part: Written, operator: FieldOperator): FieldTest {
  switch (operator) {
    case 'is':
      return { is: readFieldValue(part) }
    case 'is_not':
      return { is_not: readFieldValue(part) }
    case 'contains':
      return { contains: readValue(part) }
    case 'before':
      return { before: readDay(part) }
    case 'after':
      return { after: readDay(part) }
    case 'above':
      return { above: readNumber(part) }
    case 'below':
      return { below: readNumber(part) }
    case 'within_days':
      return { within_days: readCount(part, segmentLimits.daysMax) }
    case 'empty':
      return { empty: readBoolean(part) }
  }
}

function readBoolean({ value, path }: Written): boolean {
  if (typeof value !== 'boolean') throw shapeError([{ path, rule: 'type', expected: 'boolean' }])
  return value
}

const [days, numbers] = [new RegExp(fieldPatterns.date), new RegExp(fieldPatterns.number)]

/** Days until 9998, so that the day after each is one too. */
function readDay(part: Written): string {
  const text = readValue(part)
  if (!days.test(text) || text.startsWith('9999'))
    throw shapeError([{ path: part.path, rule: 'field_date' }])
  return text
}

function readNumber(part: Written): string {
  const text = readFieldValue(part)
  if (!numbers.test(text)) throw shapeError([{ path: part.path, rule: 'field_number' }])
  return text
}

function readDates(part: Written): DateTest {
  refuseUnknownKeys(part, ['before', 'after', 'within_days', 'never'])
  const test = readOneKey(part, ['before', 'after', 'within_days', 'never'])
  if (test === 'before') return { before: readDay(memberOf(part, test)) }
  if (test === 'after') return { after: readDay(memberOf(part, test)) }
  return readLast(memberOf(part, test), test)
}

const readLast = (part: Written, test: 'within_days' | 'never'): LastTest =>
  test === 'never'
    ? { never: readTrue(part) }
    : { within_days: readCount(part, segmentLimits.daysMax) }

const engagementTests = ['within_days', 'campaign', 'never'] as const

function readEngagement(part: Written, more: readonly string[] = []): EngagementTest {
  refuseUnknownKeys(part, [...engagementTests, ...more])
  const test = readOneKey(part, engagementTests)
  if (test === 'campaign') return { campaign: readUuid(memberOf(part, test)) }
  return readLast(memberOf(part, test), test)
}

function readOpened(part: Written): EngagementTest & { by: (typeof openers)[number] } {
  const by = readObject(part)['by']
  return {
    ...readEngagement(part, ['by']),
    by: by === undefined ? 'person' : readWord(memberOf(part, 'by'), openers),
  }
}
