/**
 * The page lists a campaign's recipients with outcome and reason, and links to the contact and to
 * the mail.
 */
import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { saveFile } from '../../../api/save-file.ts'
import { isFirstPage, useAct, useList } from '../../../api/use-ask.ts'
import { useMay } from '../../../api/use-role.ts'
import { ConfirmButton } from '../../../parts/Confirm.tsx'
import { Listing } from '../../../parts/Listing.tsx'
import { SearchField } from '../../../parts/SearchField.tsx'
import type { Total } from '../../../parts/table/say-total.ts'
import { StatusTabs } from '../../../parts/table/StatusTabs.tsx'
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
  return <KnownRun tab="recipients">{(run) => <Recipients run={run} />}</KnownRun>
}

/** How many the campaign's own counters have of each filter. Recipients that were cancelled did not fail. */
const countsOf = ({ campaign: { progress, counts }, cancelled }: CampaignRun) => ({
  ...counts,
  ...progress,
  cancelled,
  failed: progress.failed - cancelled,
})

function Recipients({ run }: { run: CampaignRun }) {
  const { id, name, status, recipients } = run.campaign
  const { frozenAt } = run
  const moving = status === 'sending'
  const counts = countsOf(run)
  const { t } = useTranslation('run')
  const mayExport = useMay('editor')
  const [q] = useFilter('q')
  const [filter] = useFilter('only')
  const change = useChangeFilters()
  const { mutateAsync: exportThem } = useAct('exportCampaignRecipients')
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
      <StatusTabs
        name="only"
        label={t('only')}
        tabs={[
          { value: '', label: t('onlyAll'), total: exactly(recipients) },
          ...filters
            .filter((value) => counts[value] > 0 || value === only)
            .map((value) => ({
              ...{ value, label: t(`only_${value}`), total: exactly(counts[value]) },
            })),
        ]}
      />
      <Group gap="sm" role="search" aria-label={t('searchRecipients')}>
        <SearchField label={t('searchRecipients')} />
        {mayExport && frozenAt !== null && (
          <ConfirmButton
            label={t('exportRecipients')}
            icon="download"
            title={t('exportRecipientsTitle')}
            onConfirm={async () => {
              const body = { frozen_at: frozenAt, ...(only && { only }) }
              saveFile(
                await exportThem({ params: { id }, body }),
                `${name}-${only ?? 'recipients'}.csv`,
              )
            }}
          >
            <Text>{t('exportRecipientsWhat')}</Text>
          </ConfirmButton>
        )}
      </Group>
      {q !== '' && <Text c="dimmed">{t('searchWhat')}</Text>}
      <Listing
        label={t('tab_recipients')}
        read={{ ...read, isLoading: read.isLoading || isSearching }}
        columns={useRecipientColumns(id)}
        idOf={({ subscriberId }) => subscriberId}
        total={q === '' ? exactly(only ? counts[only] : recipients) : undefined}
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

const exactly = (count: number): Total => ({ count, more: false })
