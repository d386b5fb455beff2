/** A condition in a few words, for a chip: `Tag is vip`, `Opened in the last 30 days`. */
import type { TFunction } from 'i18next'
import type { SingleCondition } from '../../../../src/contract/segments.ts'
import { recipientLanguageOptions } from '../../language.ts'
import { keyOf } from '../../parts/key-of.ts'
import { isEngagement, kindOfSingle } from './conditions.ts'

interface Words {
  t: TFunction<'segments'>
  /** Of the page of subscribers: statuses and sources. */
  contacts: TFunction<'subscribers'>
  labelOf: (field: string) => string
}

export function sayCondition(condition: SingleCondition, { t, contacts, labelOf }: Words): string {
  const about = t(keyOf('about', kindOfSingle(condition)))
  const is = (value: string): string => `${about} ${t('isIs')} ${value}`
  if ('tag' in condition) return is(condition.tag)
  if ('status' in condition) return is(contacts(keyOf('status', condition.status)))
  if ('source' in condition) return is(contacts(keyOf('source', condition.source)))
  if ('language' in condition)
    return is(
      recipientLanguageOptions.find(({ value }) => value === condition.language)?.label ?? '',
    )
  if ('field' in condition) {
    const { field, ...test } = condition
    const [name = 'is', value] = Object.entries(test)[0] ?? []
    if (name === 'empty') return `${labelOf(field)} ${t(value === true ? 'isEmpty' : 'isFilled')}`
    if (name === 'within_days')
      return `${labelOf(field)} ${t('withinDays', { count: Number(value) })}`
    return `${labelOf(field)} ${t(keyOf('is', name), { defaultValue: name })} ${String(value)}`
  }
  const test: object = Object.values(condition)[0] ?? {}
  const [name = 'never', value] = Object.entries(test).find(([key]) => key !== 'by') ?? []
  const word = t(keyOf(isEngagement(condition) ? 'engagement' : 'date', name), {
    defaultValue: name,
  })
  if (name === 'within_days') return `${about} ${t('withinDays', { count: Number(value) })}`
  return name === 'never' || name === 'campaign'
    ? `${about} ${word}`
    : `${about} ${word} ${String(value)}`
}
