/** The values of a condition about mails of campaigns: lately, of one campaign, or never. */
import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { EngagementCondition, EngagementTest } from '../../../../src/contract/segments.ts'
import { keyOf } from '../../parts/key-of.ts'
import { CampaignSelect } from './CampaignSelect.tsx'
import type { ValueProps } from './conditions.ts'
import { TimeTest } from './TimeTest.tsx'

const tests = ['within_days', 'campaign', 'never'] as const

export function EngagementValues({
  condition,
  onChange,
  disabled,
}: ValueProps<EngagementCondition>) {
  const { t } = useTranslation('segments')
  const test = testIn(condition)
  const name = tests.find((each) => each in test) ?? 'within_days'
  const set = (next: EngagementTest): void => onChange(withTest(condition, next))
  return (
    <>
      <TimeTest
        name={name}
        options={tests.map((value) => ({ value, label: t(keyOf('engagement', value)) }))}
        days={'within_days' in test ? test.within_days : null}
        disabled={disabled}
        onName={(next) => set(newTest(next))}
        onDays={(within_days) => set({ within_days })}
      />
      {'campaign' in test && (
        <CampaignSelect
          value={test.campaign}
          disabled={disabled}
          onChange={(campaign) => set({ campaign })}
        />
      )}
      {'opened' in condition && (
        <Checkbox
          mt={8}
          label={t('byRelay')}
          checked={condition.opened.by === 'any'}
          disabled={disabled}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ opened: { ...condition.opened, by: checked ? 'any' : 'person' } })
          }
        />
      )}
    </>
  )
}

const testIn = (condition: EngagementCondition): EngagementTest =>
  'opened' in condition
    ? condition.opened
    : 'received' in condition
      ? condition.received
      : condition.clicked

const newTest = (name: string): EngagementTest =>
  name === 'campaign' ? { campaign: '' } : name === 'never' ? { never: true } : { within_days: 90 }

function withTest(condition: EngagementCondition, test: EngagementTest): EngagementCondition {
  if ('opened' in condition) return { opened: { ...test, by: condition.opened.by } }
  return 'received' in condition ? { received: test } : { clicked: test }
}
