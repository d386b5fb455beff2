/** The values of a condition about a date of a contact: before, after, within so many days, never. */
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type {
  ContactDate,
  DateCondition,
  DateTest,
  SingleCondition,
} from '../../../../src/contract/segments.ts'
import { keyOf } from '../../parts/key-of.ts'
import { dateKinds, type ValueProps } from './conditions.ts'
import { TimeTest } from './TimeTest.tsx'

const tests = ['within_days', 'before', 'after', 'never'] as const

export function DateValues({ condition, onChange, disabled }: ValueProps<DateCondition>) {
  const { t } = useTranslation('segments')
  const kind = dateKinds.find((each) => each in condition) ?? 'created'
  const test = testIn(condition)
  const name = tests.find((each) => each in test) ?? 'within_days'
  const set = (next: DateTest): void => onChange(dateOf(kind, next))
  return (
    <>
      <TimeTest
        name={name}
        options={tests.map((value) => ({ value, label: t(keyOf('date', value)) }))}
        days={'within_days' in test ? test.within_days : null}
        disabled={disabled}
        onName={(next) => set(newTest(next))}
        onDays={(within_days) => set({ within_days })}
      />
      {('before' in test || 'after' in test) && (
        <TextInput
          type="date"
          aria-label={t('day')}
          disabled={disabled}
          value={'before' in test ? test.before : test.after}
          onChange={({ currentTarget: { value } }) =>
            set('before' in test ? { before: value } : { after: value })
          }
        />
      )}
    </>
  )
}

const testIn = (condition: DateCondition): DateTest => Object.values(condition)[0] as DateTest

const newTest = (name: string): DateTest =>
  name === 'before'
    ? { before: '' }
    : name === 'after'
      ? { after: '' }
      : name === 'never'
        ? { never: true }
        : { within_days: 90 }

/** The kind is one of those that a condition has. */
const dateOf = (kind: ContactDate, test: DateTest): SingleCondition =>
  ({ [kind]: test }) as unknown as DateCondition
