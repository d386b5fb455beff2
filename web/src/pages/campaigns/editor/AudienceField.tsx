/**
 * The user chooses whom a campaign goes to: everybody subscribed, a segment or tags, without
 * segments, tags and those who got a campaign recently, and the topic. Each choice is saved at once.
 */
import { MultiSelect, Paper, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
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
  tagsAmong,
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
  const [typed, setTyped] = useState<AudienceValues | null>(null)
  const { mutate, error, isSuccess } = useAct('setCampaignAudience', {
    refresh: ['getCampaignAudience', 'getCampaignReach', 'getCampaignRun'],
    inOrder: id,
  })
  const values = typed ?? valuesOf(audience)
  const save = (change: Partial<AudienceValues>): void => {
    const chosen = { ...values, ...change }
    setTyped(chosen)
    mutate({ params: { id }, body: audienceRequestOf(chosen) })
  }
  return (
    <Stack gap="sm">
      <Parts
        label={t('audienceTo')}
        description={t('audienceAlways')}
        none={t('everybody')}
        value={values.to}
        readOnly={readOnly}
        onChange={(to) => save({ to: oneTarget(values.to, to) })}
      />
      <Parts
        label={t('audienceExcept')}
        none={t('nobodyExcluded')}
        value={values.except}
        readOnly={readOnly}
        onChange={(except) => save({ except })}
      />
      <ReceivedField days={values.days} readOnly={readOnly} onChange={(days) => save({ days })} />
      {isSuccess && (
        <Text size="sm" c="dimmed" role="status">
          {t('audienceSaved')}
        </Text>
      )}
      <Failure error={error} />
    </Stack>
  )
}

interface PartsProps {
  label: string
  description?: string
  /** Stands in the input while nothing is chosen. */
  none: string
  value: string[]
  readOnly: boolean
  onChange: (value: string[]) => void
}

function Parts({ none, value, ...input }: PartsProps) {
  const [typed, setTyped] = useState('')
  return (
    <MultiSelect
      {...input}
      data={useGroups(value, typed)}
      placeholder={value.length === 0 ? none : ''}
      value={value}
      searchable
      clearable
      onSearchChange={setTyped}
    />
  )
}

/**
 * The workspace's segments, and the tags that contain the typed text, of which there may be
 * thousands; with those that were chosen before.
 */
function useGroups(chosen: string[], typed: string) {
  const { t } = useTranslation('drafts')
  const [q] = useDebouncedValue(typed, 200)
  const { data: segments } = useAsk('listSegments')
  const { data: tags } = useAsk('listSubscriberTags', { query: { q } })
  const names = new Set([...(tags?.data ?? []), ...tagsAmong(chosen)])
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
