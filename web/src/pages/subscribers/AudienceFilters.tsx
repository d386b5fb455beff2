/** The filters of the audience: a name, a status, a tag, a source, a custom field and its value. */
import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { useChangeFilters, useFilter } from '../../parts/use-filter.ts'
import { keyOf } from '../../parts/key-of.ts'
import { sources, subscriberStatuses } from './words.ts'
import { useSearch } from '@tanstack/react-router'
import type { CallInput } from '../../api/client.ts'

export function AudienceFilters() {
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
      <OneOf
        name="source"
        label={t('source')}
        options={sources.map((value) => ({ value, label: t(keyOf('source', value)) }))}
      />
      <FieldFilter />
    </Group>
  )
}

interface OneOfProps {
  name: string
  label: string
  options: { value: string; label: string }[]
}

function OneOf({ name, label, options }: OneOfProps) {
  const [value, set] = useFilter(name)
  return (
    <Select
      {...useFieldStyle(label)}
      data={options}
      value={value || null}
      onChange={(next) => set(next ?? '')}
    />
  )
}

/** All these filters have a label, a button that clears them, and a place on one line. */
function useFieldStyle(label: string) {
  const { t } = useTranslation('subscribers')
  return {
    ...{ 'aria-label': label, placeholder: label, clearable: true, ...inLine },
    clearButtonProps: { 'aria-label': t('clearFilter', { filter: label }) },
  }
}

const inLine = { flex: '1 1 9rem', maw: 200 }

/**
 * A workspace may have thousands of tags: the filter asks for those that contain the typed text.
 */
function TagFilter() {
  const { t } = useTranslation('subscribers')
  const [value, set] = useFilter('tag')
  const [typed, setTyped] = useState(value)
  const [q] = useDebouncedValue(typed === value ? '' : typed, 200)
  const { data } = useAsk('listSubscriberTags', { query: { q } })
  const names = data?.data ?? []
  return (
    <Select
      {...useFieldStyle(t('tag'))}
      data={value !== '' && !names.includes(value) ? [value, ...names] : names}
      filter={({ options }) => options}
      value={value || null}
      onChange={(next) => set(next ?? '')}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={t('noSuchTag')}
    />
  )
}

function FieldFilter() {
  const { t } = useTranslation('subscribers')
  const [field] = useFilter('field')
  const [value, setValue] = useFilter('value')
  const change = useChangeFilters()
  const [typed, setTyped] = useState(value)
  const setLater = useDebouncedCallback(setValue, 300)
  const { data } = useAsk('listSubscriberFields')
  const fieldStyle = useFieldStyle(t('field'))
  if (!data || data.data.length === 0) return null
  return (
    <>
      <Select
        {...fieldStyle}
        data={data.data.map(({ key, label }) => ({ value: key, label: label ?? key }))}
        value={field || null}
        onChange={(next) => {
          setTyped('')
          change({ field: next ?? '', value: '' })
        }}
        searchable
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
          {...inLine}
        />
      )}
    </>
  )
}

export type AudienceFilter = Omit<
  NonNullable<CallInput<'listSubscribers'>['query']>,
  'limit' | 'cursor'
>

/** The hook leaves out unknown filters, because users type addresses of pages by hand too. */
export function useAudienceFilter(): { filter: AudienceFilter; isSet: boolean } {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const text = (name: string): string | undefined => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const status = subscriberStatuses.find((subscriberStatus) => subscriberStatus === text('status'))
  const source = sources.find((entry) => entry === text('source'))
  const [q, tag, field] = [text('q'), text('tag'), text('field')]
  const value = field === undefined ? undefined : text('value')
  const filter: AudienceFilter = {
    ...(q !== undefined && { q }),
    ...(status && { status }),
    ...(tag !== undefined && { tag }),
    ...(source && { source }),
    ...(field !== undefined && { field }),
    ...(value !== undefined && { value }),
  }
  return { filter, isSet: Object.keys(filter).length > 0 }
}
