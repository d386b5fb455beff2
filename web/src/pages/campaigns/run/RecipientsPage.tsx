/**
 * The page lists a campaign's recipients with outcome and reason, and links to the contact and to
 * the mail.
 */
import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../../api/client.ts'
import { isFirstPage, useList } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { FilterSelect } from '../../../parts/FilterSelect.tsx'
import { DownloadButton } from '../../../parts/links.tsx'
import { Listing } from '../../../parts/Listing.tsx'
import { SearchField } from '../../../parts/SearchField.tsx'
import { useChangeFilters, useFilter } from '../../../parts/use-filter.ts'
import { useSearchFurther } from '../../../parts/use-search-further.ts'
import { KnownRun } from './KnownRun.tsx'
import { useRecipientColumns } from './recipient-columns.tsx'

/** The contract has this order: the states of the ledger, then the outcomes of the mail. */
const filters = [
  ...(['pending', 'sent', 'failed', 'cancelled', 'suppressed', 'in_doubt'] as const),
  ...(['delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const),
]

export function RecipientsPage() {
  return (
    <KnownRun tab="recipients">
      {({ campaign }) => <Recipients id={campaign.id} moving={campaign.status === 'sending'} />}
    </KnownRun>
  )
}

function Recipients({ id, moving }: { id: string; moving: boolean }) {
  const { t } = useTranslation('run')
  const mayExport = useMay('editor')
  const [q] = useFilter('q')
  const [filter] = useFilter('only')
  const change = useChangeFilters()
  const showAll = (): void => change({ q: '', only: '' })
  const only = filters.find((word) => word === filter)
  const read = useList(
    'listCampaignRecipients',
    { params: { id }, query: { ...(q && { q }), ...(only && { only }) } },
    { poll: (last) => (moving && isFirstPage(last) ? 4_000 : false) },
  )
  // Reads on until a page has rows, or until the end.
  const isSearching = useSearchFurther(read, 1)
  const isFiltered = q !== '' || only !== undefined
  return (
    <Stack>
      <Group gap="sm">
        <SearchField label={t('searchRecipients')} />
        <FilterSelect
          name="only"
          label={t('only')}
          any={t('onlyAll')}
          options={filters.map((value) => ({ value, label: t(`only_${value}`) }))}
          w={230}
        />
        {mayExport && (
          <DownloadButton
            href={addressOf('exportCampaignRecipients', {
              params: { id },
              query: only ? { only } : {},
            })}
          >
            {t('exportRecipients')}
          </DownloadButton>
        )}
      </Group>
      {q !== '' && <Text c="dimmed">{t('searchWhat')}</Text>}
      <Listing
        label={t('tab_recipients')}
        read={{ ...read, isLoading: read.isLoading || isSearching }}
        columns={useRecipientColumns(id)}
        idOf={({ subscriberId }) => subscriberId}
        empty={
          isFiltered
            ? {
                icon: 'search',
                title: t('nobodyFound'),
                clear: { label: t('showAll'), onClick: showAll },
              }
            : { icon: 'subscribers', title: t('nobody'), why: t('nobodyWhy') }
        }
      />
    </Stack>
  )
}
