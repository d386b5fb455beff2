/**
 * Conditions over custom fields: an absent value, and one that does not fit its type, is empty. They
 * are never null, not even where they may be: of a bare comparison PostgreSQL supposes that one
 * contact of two hundred meets it, and so reads an audience on one core.
 */
import type { FieldTest } from '../../../contract/segments.ts'
import type { FieldType, TypedField } from '../../../contract/field-types.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { typedValue } from '../typed-values.ts'
import { foldedContains, foldedIs } from './folded-text.ts'
import type { Compiling } from './compiling.ts'

export function fieldCondition(
  compiling: Compiling,
  { field: id, ...test }: FieldTest & { field: string },
): Fragment {
  const field = compiling.fields.get(id)
  if (field === undefined) throw new Error(`A definition names the field ${id}, which is not known`)
  const value = typedValue(field)
  if ('empty' in test) return test.empty ? isEmpty(value) : part`not ${isEmpty(value)}`
  if ('is' in test) return part`coalesce(${isValue(field, value, test.is)}, false)`
  if ('is_not' in test) return part`not coalesce(${isValue(field, value, test.is_not)}, false)`
  if ('within_days' in test)
    return part`coalesce(${isLately(compiling, value, test.within_days)}, false)`
  return part`coalesce(${compared(value, test)}, false)`
}

const isEmpty = (value: Fragment): Fragment => part`(${value} is null)`

function isValue({ type }: TypedField, value: Fragment, text: string): Fragment {
  if (type === 'text' || type === 'choice') return foldedIs(value, text)
  return part`${value} = ${text}::${typeNames[type]}`
}

/** Today, or one of so many days before it. */
function isLately({ at, timeZone }: Compiling, value: Fragment, days: number): Fragment {
  const today = part`(${at}::timestamptz at time zone ${timeZone}::text)::date`
  return part`${value} between ${today} - ${days}::int and ${today}`
}

const typeNames = {
  number: fragment`text::numeric`,
  date: fragment`text::date`,
  boolean: fragment`text::boolean`,
} as const satisfies Record<Exclude<FieldType, 'text' | 'choice'>, Fragment>

/** The operators of each type are checked before (contract: `fieldOperators`). */
function compared(
  value: Fragment,
  test: Exclude<
    FieldTest,
    { is: string } | { is_not: string } | { empty: boolean } | { within_days: number }
  >,
): Fragment {
  if ('contains' in test) return foldedContains(value, test.contains)
  if ('before' in test) return part`${value} < ${test.before}::text::date`
  if ('after' in test) return part`${value} > ${test.after}::text::date`
  if ('above' in test) return part`${value} > ${test.above}::text::numeric`
  return part`${value} < ${test.below}::text::numeric`
}
