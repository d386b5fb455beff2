/** The filters of the log live in the page's address. */
import { messageStatuses } from 'virtual:contract'
import { Group, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Given } from '../../api/client.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { useDayFields, useDays } from '../../parts/use-range.ts'
import { beginningOf, dayAfter } from '../../parts/local-day.ts'
import { keyOf } from '../../parts/key-of.ts'

type Query = NonNullable<Given<'listMessages'>['query']>

export const cleared = { recipient: '', subject: '', tag: '', status: '', kind: '', from: '', to: '' }

export function useEmailFilter(): Query {
  const [recipient] = useFilter('recipient')
  const [subject] = useFilter('subject')
  const [tag] = useFilter('tag')
  const [status] = useFilter('status')
  const [kind] = useFilter('kind')
  const days = useDays()
  const [since, until] = [beginningOf(days.from), dayAfter(days.to)]
  const known = messageStatuses.find((value) => value === status)
  return {
    ...(recipient !== '' && { recipient }),
    ...(subject !== '' && { subject }),
    ...(tag !== '' && { tag }),
    ...(known !== undefined && { status: known }),
    ...((kind === 'single' || kind === 'campaign') && { kind }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  }
}

export function EmailFilters() {
  const { t } = useTranslation('emails')
  const days = useDayFields()
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
      <TextInput type="date" label={t('fromDay')} {...days.from} />
      <TextInput type="date" label={t('toDay')} {...days.to} />
    </Group>
  )
}
