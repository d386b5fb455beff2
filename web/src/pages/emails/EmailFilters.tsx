/** The filters of the log: one search, kind, tag and days; they live in the page's address. */
import { TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../api/client.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { FilterChip } from '../../parts/table/FilterChip.tsx'
import { ListTools } from '../../parts/table/ListTools.tsx'
import { usePeriod } from '../../parts/table/period.ts'
import { useFilter } from '../../parts/use-filter.ts'

export const emailsRoute = getRouteApi('/$slug/emails')

export const cleared = { q: '', tag: '', status: '', kind: '', days: '', from: '', to: '' }

/** What all tabs of the list have in common. */
export function useEmailFilter(): NonNullable<CallInput<'countMessages'>['query']> {
  const { q, kind, tag } = emailsRoute.useSearch()
  return {
    ...(q !== undefined && { q }),
    ...(kind && { kind }),
    ...(tag !== undefined && { tag }),
    ...usePeriod(),
  }
}

/** `children`: what else stands in their row. */
export function EmailFilters({ children }: { children: ReactNode }) {
  const { t } = useTranslation('emails')
  return (
    <ListTools
      label={t('filters')}
      search={<SearchField label={t('search')} />}
      names={['kind', 'tag', 'days', 'from', 'to']}
    >
      <FilterSelect
        name="kind"
        label={t('kind')}
        any={t('anyKind')}
        options={[
          { value: 'single', label: t('kindSingle') },
          { value: 'campaign', label: t('kindCampaign') },
        ]}
      />
      <TagChip />
      <DateMenu />
      {children}
    </ListTools>
  )
}

function TagChip() {
  const { t } = useTranslation('emails')
  const [tag, set] = useFilter('tag')
  const [draft, setDraft] = useState(tag)
  const [known, setKnown] = useState(tag)
  // Going back in the browser changes it too.
  if (known !== tag) {
    setKnown(tag)
    setDraft(tag)
  }
  return (
    <FilterChip
      label={tag === '' ? t('tag') : t('tagIs', { tag })}
      isNew={tag === ''}
      apply={{ isReady: draft.trim() !== tag, onApply: () => set(draft.trim()) }}
      onClose={() => setDraft(tag)}
    >
      {() => (
        <TextInput
          label={t('searchTag')}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          data-autofocus
        />
      )}
    </FilterChip>
  )
}
