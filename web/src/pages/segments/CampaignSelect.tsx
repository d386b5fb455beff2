/** A campaign of a condition, matches by its name or subject: a workspace may have thousands. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk, useList } from '../../api/use-ask.ts'

interface CampaignSelectProps {
  /** An identifier; empty: none is chosen. */
  value: string
  disabled: boolean
  onChange: (id: string) => void
}

export function CampaignSelect({ value, disabled, onChange }: CampaignSelectProps) {
  const { t } = useTranslation('segments')
  const [typed, setTyped] = useState('')
  const { data: run } = useAsk(
    'getCampaignRun',
    { params: { id: value } },
    { enabled: value !== '' },
  )
  const chosen = run && { value, label: run.campaign.name }
  // The chosen one stands in the input, and is no search.
  const [q] = useDebouncedValue(typed === chosen?.label ? '' : typed, 200)
  const { items } = useList('listCampaigns', { query: { q } })
  const matches = items.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      aria-label={t('campaign')}
      placeholder={t('chooseCampaign')}
      data={
        chosen && !matches.some(({ value: id }) => id === value) ? [chosen, ...matches] : matches
      }
      filter={({ options }) => options}
      value={value || null}
      disabled={disabled}
      onChange={(id) => onChange(id ?? '')}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={t('noSuchCampaign')}
    />
  )
}
