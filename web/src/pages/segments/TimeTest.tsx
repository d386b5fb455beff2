/** How a condition compares a value or a time: a choice of tests, and the days of the one that counts them. */
import { NativeSelect, NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { segmentLimits } from 'virtual:contract'

interface TimeTestProps {
  name: string
  options: { value: string; label: string }[]
  /** Null where the test counts no days. */
  days: number | null
  disabled: boolean
  onName: (name: string) => void
  onDays: (days: number) => void
}

export function TimeTest({ name, options, days, disabled, onName, onDays }: TimeTestProps) {
  const { t } = useTranslation('segments')
  return (
    <>
      <NativeSelect
        aria-label={t('comparison')}
        value={name}
        disabled={disabled}
        data={options}
        onChange={(event) => onName(event.currentTarget.value)}
      />
      {days !== null && (
        <NumberInput
          aria-label={t('days')}
          suffix={t('daysSuffix')}
          w={130}
          min={1}
          max={segmentLimits.daysMax}
          allowDecimal={false}
          value={Number.isNaN(days) ? '' : days}
          disabled={disabled}
          onChange={(next) => onDays(next === '' ? Number.NaN : Number(next))}
        />
      )}
    </>
  )
}
