/** The values of a condition about a custom field: the field, a comparison, and what it compares with. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { FieldCondition, FieldOperator, FieldTest } from '../../../../src/contract/segments.ts'
import { useAsk, type ItemOf } from '../../api/use-ask.ts'
import { keyOf } from '../../parts/key-of.ts'
import { operatorsOf, type ValueProps } from './conditions.ts'
import { TimeTest } from './TimeTest.tsx'

type Field = ItemOf<'listSubscriberFields'>

export function FieldValues({ condition, onChange, disabled }: ValueProps<FieldCondition>) {
  const { t } = useTranslation('segments')
  const { data } = useAsk('listSubscriberFields')
  const fields = data?.data ?? []
  const field = fields.find(({ key }) => key === condition.field)
  const operators: readonly FieldOperator[] = operatorsOf[field?.type ?? 'text']
  const operator = operators.find((each) => each in condition) ?? 'is'
  const value = operator === 'empty' ? '' : valueOf(condition)
  return (
    <>
      <NativeSelect
        aria-label={t('field')}
        value={condition.field}
        disabled={disabled}
        data={[
          { value: '', label: t('chooseField') },
          ...fields.map(({ key, label }) => ({ value: key, label: label ?? key })),
        ]}
        onChange={({ currentTarget: { value: key } }) => {
          const isDate = fields.some((each) => each.key === key && each.type === 'date')
          // Of a date, an exact day is seldom meant.
          onChange({ field: key, ...testOf(isDate ? 'within_days' : 'is', '') })
        }}
      />
      <TimeTest
        name={
          operator === 'empty' && 'empty' in condition && !condition.empty ? 'filled' : operator
        }
        options={([...operators, 'filled'] as const).map((each) => ({
          value: each,
          label: t(keyOf('is', each)),
        }))}
        days={'within_days' in condition ? condition.within_days : null}
        disabled={disabled}
        onName={(next) => onChange({ field: condition.field, ...testOf(next, value) })}
        onDays={(within_days) => onChange({ field: condition.field, within_days })}
      />
      {operator !== 'empty' && operator !== 'within_days' && (
        <FieldValue
          field={field}
          value={value}
          disabled={disabled}
          onChange={(next) => onChange({ field: condition.field, ...testOf(operator, next) })}
        />
      )}
    </>
  )
}

const valueOf = (condition: FieldCondition): string => {
  const [, value] = Object.entries(condition).find(([name]) => name !== 'field') ?? []
  return typeof value === 'string' ? value : ''
}

function testOf(operator: string, value: string): FieldTest {
  switch (operator) {
    case 'is_not':
      return { is_not: value }
    case 'contains':
      return { contains: value }
    case 'before':
      return { before: value }
    case 'after':
      return { after: value }
    case 'above':
      return { above: value }
    case 'below':
      return { below: value }
    case 'within_days':
      return { within_days: 90 }
    case 'empty':
      return { empty: true }
    case 'filled':
      return { empty: false }
    default:
      return { is: value }
  }
}

interface FieldValueProps {
  field: Field | undefined
  value: string
  disabled: boolean
  onChange: (value: string) => void
}

function FieldValue({ field, value, disabled, onChange }: FieldValueProps) {
  const { t } = useTranslation('segments')
  const options =
    field?.type === 'boolean'
      ? [
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]
      : field?.type === 'choice'
        ? field.choices.map((choice) => ({ value: choice, label: choice }))
        : null
  const common = { 'aria-label': t('value'), value, disabled }
  if (options)
    return (
      <NativeSelect
        {...common}
        data={[{ value: '', label: t('chooseValue') }, ...options]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...common}
      type={field?.type === 'date' ? 'date' : 'text'}
      inputMode={field?.type === 'number' ? 'decimal' : undefined}
      maxLength={limits.fieldValueMax}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
