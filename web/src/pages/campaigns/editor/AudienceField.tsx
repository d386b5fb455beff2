/**
 * The user chooses whom a campaign goes to: everybody subscribed, a segment or tags, without
 * segments, tags and those who got a campaign recently, and the topic. Each choice is saved at once.
 */
import { MultiSelect, Paper, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../../api/client.ts'
import { useAct, useAsk } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { Failure } from '../../../parts/Failure.tsx'
import { TopicChoice } from '../TopicChoice.tsx'
import {
  daysOffered,
  oneTarget,
  audienceRequestOf,
  segmentValue,
  tagValue,
  valuesOf,
  type AudienceValues,
} from './audience-values.ts'

export function AudienceField({ id }: { id: string }) {
  const { data } = useAsk('getCampaignAudience', { params: { id } })
  if (!data) return null
  return (
    <Paper>
      <Stack gap="sm">
        <Choices id={id} audience={data} />
        <TopicChoice id={id} />
      </Stack>
    </Paper>
  )
}

function Choices({ id, audience }: { id: string; audience: Got<'getCampaignAudience'> }) {
  const { t } = useTranslation('drafts')
  const readOnly = !useMay('editor')
  const groups = useGroups([...(audience.to?.tags ?? []), ...audience.except.map(({ tag }) => tag)])
  const [typed, setTyped] = useState<AudienceValues | null>(null)
  const { mutate, error } = useAct('setCampaignAudience', {
    refresh: ['getCampaignAudience', 'getCampaignReach', 'getCampaignRun'],
  })
  const values = typed ?? valuesOf(audience)
  const save = (change: Partial<AudienceValues>): void => {
    const chosen = { ...values, ...change }
    setTyped(chosen)
    mutate({ params: { id }, body: audienceRequestOf(chosen) })
  }
  const shared = { data: groups, readOnly, searchable: true, clearable: true }
  return (
    <Stack gap="sm">
      <MultiSelect
        {...shared}
        label={t('audienceTo')}
        description={t('audienceAlways')}
        placeholder={values.to.length === 0 ? t('everybody') : ''}
        value={values.to}
        onChange={(to) => save({ to: oneTarget(values.to, to) })}
      />
      <MultiSelect
        {...shared}
        label={t('audienceExcept')}
        placeholder={values.except.length === 0 ? t('nobodyExcluded') : ''}
        value={values.except}
        onChange={(except) => save({ except })}
      />
      <ReceivedField days={values.days} readOnly={readOnly} onChange={(days) => save({ days })} />
      {typed !== null && !error && (
        <Text size="sm" c="dimmed" role="status">
          {t('audienceSaved')}
        </Text>
      )}
      <Failure error={error} />
    </Stack>
  )
}

/** The workspace's segments and tags, with the tags that were chosen before. */
function useGroups(chosen: (string | null)[]) {
  const { t } = useTranslation('drafts')
  const { data: segments } = useAsk('listSegments')
  const { data: tags } = useAsk('listSubscriberTags', { query: {} })
  const names = new Set([...(tags?.data ?? []), ...chosen.filter((tag) => tag !== null)])
  return [
    {
      group: t('audienceSegments'),
      items: (segments?.data ?? []).map(({ id, name }) => ({
        value: segmentValue(id),
        label: name,
      })),
    },
    {
      group: t('audienceTags'),
      items: [...names].map((name) => ({ value: tagValue(name), label: name })),
    },
  ].filter(({ items }) => items.length > 0)
}

interface ReceivedFieldProps {
  days: number | null
  readOnly: boolean
  onChange: (days: number | null) => void
}

function ReceivedField({ days, readOnly, onChange }: ReceivedFieldProps) {
  const { t } = useTranslation('drafts')
  return (
    <Select
      label={t('audienceReceived')}
      data={[
        { value: '', label: t('receivedAnytime') },
        ...daysOffered(days).map((each) => ({
          value: String(each),
          label: t('receivedWithin', { count: each }),
        })),
      ]}
      value={days === null ? '' : String(days)}
      readOnly={readOnly}
      allowDeselect={false}
      onChange={(value) => onChange(value ? Number(value) : null)}
    />
  )
}
