/** The days that a list is of: the last ones, or from one to another; they live in the address. */
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DayFields } from '../DayFields.tsx'
import { sayDate } from '../../say-date.ts'
import { useChangeFilters, useFilter } from '../use-filter.ts'
import { useDays } from '../use-range.ts'
import { FilterChip } from './FilterChip.tsx'
import { periods } from './period.ts'

const custom = 'custom'

export function DateMenu() {
  const { t } = useTranslation('shell')
  const [chosen] = useFilter('days')
  const days = useDays()
  const change = useChangeFilters()
  const [isCustom, setCustom] = useState(false)
  const label = useLabel()
  const isRange = isCustom || days.from !== '' || days.to !== ''
  const value = periods.some((period) => String(period) === chosen) ? chosen : isRange ? custom : ''
  const choose = (next: string): void => {
    setCustom(next === custom)
    change({ from: '', to: '', days: next === custom ? '' : next })
  }
  return (
    <FilterChip label={label} isNew={value === ''} onClose={() => setCustom(false)}>
      {() => (
        <>
          <Radio.Group label={t('dates')} value={value} onChange={choose}>
            <Stack gap="xs" mt="xs">
              <Radio value="" label={t('anyTime')} />
              {periods.map((count) => (
                <Radio key={count} value={String(count)} label={t('lastDays', { count })} />
              ))}
              <Radio value={custom} label={t('customDays')} />
            </Stack>
          </Radio.Group>
          {value === custom && <DayFields />}
        </>
      )}
    </FilterChip>
  )
}

function useLabel(): string {
  const { t, i18n } = useTranslation('shell')
  const [chosen] = useFilter('days')
  const { from, to } = useDays()
  const count = periods.find((period) => String(period) === chosen)
  if (count !== undefined) return t('lastDays', { count })
  const say = (day: string): string =>
    sayDate(new Date(`${day}T12:00`), i18n.language, { dateStyle: 'medium' })
  const parts = [from !== '' && t('fromDate', { day: say(from) })]
  parts.push(to !== '' && t('toDate', { day: say(to) }))
  return parts.filter((part) => part !== false).join(' ') || t('anyTime')
}
