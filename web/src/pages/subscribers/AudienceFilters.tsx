/** By what the audience is narrowed: a name, a status, a tag, a door, a custom field and what stands in it. */
import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { keyOf, sources, subscriberStatuses } from './words.ts'

export function AudienceFilters(): ReactNode {
  const { t } = useTranslation('subscribers')
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={t('filters')}>
      <SearchField label={t('searchPeople')} />
      <OneOf
        name="status"
        label={t('status')}
        options={subscriberStatuses.map((value) => ({ value, label: t(keyOf('status', value)) }))}
      />
      <TagFilter />
      <OneOf name="source" label={t('source')} options={sources.map((value) => ({ value, label: t(keyOf('source', value)) }))} />
      <FieldFilter />
    </Group>
  )
}

function OneOf({
  name,
  label,
  options,
}: {
  name: string
  label: string
  options: { value: string; label: string }[]
}): ReactNode {
  const { t } = useTranslation('subscribers')
  const [value, set] = useFilter(name)
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={options}
      value={value || null}
      onChange={(next) => set(next ?? '')}
      clearable
      clearButtonProps={{ 'aria-label': t('clearFilter', { filter: label }) }}
      flex="1 1 9rem"
      maw={200}
    />
  )
}

/** Tags may be thousands: those that hold what is typed are asked for. */
function TagFilter(): ReactNode {
  const { t } = useTranslation('subscribers')
  const [value, set] = useFilter('tag')
  const [typed, setTyped] = useState(value)
  const [q] = useDebouncedValue(typed === value ? '' : typed, 200)
  const { data } = useAsk('listSubscriberTags', { query: { q } })
  const names = data?.data ?? []
  return (
    <Select
      aria-label={t('tag')}
      placeholder={t('tag')}
      data={value !== '' && !names.includes(value) ? [value, ...names] : names}
      filter={({ options }) => options}
      value={value || null}
      onChange={(next) => set(next ?? '')}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={t('noSuchTag')}
      clearable
      clearButtonProps={{ 'aria-label': t('clearFilter', { filter: t('tag') }) }}
      flex="1 1 9rem"
      maw={200}
    />
  )
}

function FieldFilter(): ReactNode {
  const { t } = useTranslation('subscribers')
  const [field] = useFilter('field')
  const [value, setValue] = useFilter('value')
  const change = useChangeFilters()
  const [typed, setTyped] = useState(value)
  const setLater = useDebouncedCallback(setValue, 300)
  const { data } = useAsk('listSubscriberFields')
  if (!data || data.data.length === 0) return null
  return (
    <>
      <Select
        aria-label={t('field')}
        placeholder={t('field')}
        data={data.data.map(({ key, label }) => ({ value: key, label: label ?? key }))}
        value={field || null}
        onChange={(next) => {
          setTyped('')
          change({ field: next ?? '', value: '' })
        }}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('clearFilter', { filter: t('field') }) }}
        flex="1 1 9rem"
        maw={200}
      />
      {field !== '' && (
        <TextInput
          aria-label={t('fieldValue')}
          placeholder={t('anyValue')}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setLater(event.currentTarget.value.trim())
          }}
          flex="1 1 9rem"
          maw={200}
        />
      )}
    </>
  )
}
