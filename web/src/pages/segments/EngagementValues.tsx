/** The values of a condition about mails of campaigns: lately, of one campaign, or never. */
import { Checkbox, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { EngagementCondition, EngagementTest } from '../../../../src/contract/segments.ts'
import { useList } from '../../api/use-ask.ts'
import { keyOf } from '../../parts/key-of.ts'
import { DaysInput } from './DateValues.tsx'
import type { ValueProps } from './conditions.ts'

const tests = ['within_days', 'campaign', 'never'] as const

export function EngagementValues({
  condition,
  onChange,
  disabled,
}: ValueProps<EngagementCondition>) {
  const { t } = useTranslation('segments')
  const test = testIn(condition)
  const name = tests.find((each) => each in test) ?? 'within_days'
  const campaigns = useList('listCampaigns', {}, { enabled: 'campaign' in test })
  const set = (next: EngagementTest): void => onChange(withTest(condition, next))
  return (
    <>
      <NativeSelect
        aria-label={t('comparison')}
        value={name}
        disabled={disabled}
        data={tests.map((value) => ({ value, label: t(keyOf('engagement', value)) }))}
        onChange={(event) => set(newTest(event.currentTarget.value))}
      />
      {'within_days' in test && (
        <DaysInput
          value={test.within_days}
          disabled={disabled}
          onChange={(within_days) => set({ within_days })}
        />
      )}
      {'campaign' in test && (
        <NativeSelect
          aria-label={t('campaign')}
          value={test.campaign}
          disabled={disabled}
          data={[
            { value: '', label: t('chooseCampaign') },
            ...campaigns.items.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          onChange={(event) => set({ campaign: event.currentTarget.value })}
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
