/** The filters of the log live in the page's address. */
import { messageStatuses } from 'virtual:contract'
import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CallInput } from '../../api/client.ts'
import { DayFields } from '../../parts/DayFields.tsx'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { useMoments } from '../../parts/use-range.ts'
import { keyOf } from '../../parts/key-of.ts'

type Query = NonNullable<CallInput<'listMessages'>['query']>

export const cleared = {
  recipient: '',
  subject: '',
  tag: '',
  status: '',
  kind: '',
  from: '',
  to: '',
}

export function useEmailFilter(): Query {
  const [recipient] = useFilter('recipient')
  const [subject] = useFilter('subject')
  const [tag] = useFilter('tag')
  const [status] = useFilter('status')
  const [kind] = useFilter('kind')
  const { from: since, to: until } = useMoments()
  const known = messageStatuses.find((value) => value === status)
  return {
    ...(recipient !== '' && { recipient }),
    ...(subject !== '' && { subject }),
    ...(tag !== '' && { tag }),
    ...(known !== undefined && { status: known }),
    ...((kind === 'single' || kind === 'campaign') && { kind }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

export function EmailFilters() {
  const { t } = useTranslation('emails')
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={t('filters')}>
      <SearchField name="recipient" label={t('searchRecipient')} />
      <SearchField name="subject" label={t('searchSubject')} />
      <SearchField name="tag" label={t('searchTag')} />
      <FilterSelect
        name="status"
        label={t('status')}
        any={t('anyStatus')}
        options={messageStatuses.map((value) => ({ value, label: t(keyOf('status', value)) }))}
      />
      <FilterSelect
        name="kind"
        label={t('kind')}
        any={t('anyKind')}
        options={[
          { value: 'single', label: t('kindSingle') },
          { value: 'campaign', label: t('kindCampaign') },
        ]}
      />
      <DayFields />
    </Group>
  )
}
