/** The values of a condition about a date of a contact: before, after, within so many days, never. */
import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { segmentLimits } from 'virtual:contract'
import type {
  ContactDate,
  DateCondition,
  DateTest,
  SingleCondition,
} from '../../../../src/contract/segments.ts'
import { keyOf } from '../../parts/key-of.ts'
import { dateKinds, type ValueProps } from './conditions.ts'

const tests = ['within_days', 'before', 'after', 'never'] as const

export function DateValues({ condition, onChange, disabled }: ValueProps<DateCondition>) {
  const { t } = useTranslation('segments')
  const kind = dateKinds.find((each) => each in condition) ?? 'created'
  const test = testIn(condition)
  const name = tests.find((each) => each in test) ?? 'within_days'
  const set = (next: DateTest): void => onChange(dateOf(kind, next))
  return (
    <>
      <NativeSelect
        aria-label={t('comparison')}
        value={name}
        disabled={disabled}
        data={tests.map((value) => ({ value, label: t(keyOf('date', value)) }))}
        onChange={(event) => set(newTest(event.currentTarget.value))}
      />
      {'within_days' in test && (
        <DaysInput
          value={test.within_days}
          disabled={disabled}
          onChange={(within_days) => set({ within_days })}
        />
      )}
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

export function DaysInput({
  value,
  disabled,
  onChange,
}: {
  value: number
  disabled: boolean
  onChange: (days: number) => void
}) {
  const { t } = useTranslation('segments')
  return (
    <NumberInput
      aria-label={t('days')}
      suffix={t('daysSuffix')}
      w={130}
      min={1}
      max={segmentLimits.daysMax}
      allowDecimal={false}
      value={Number.isNaN(value) ? '' : value}
      disabled={disabled}
      onChange={(next) => onChange(next === '' ? Number.NaN : Number(next))}
    />
  )
}
