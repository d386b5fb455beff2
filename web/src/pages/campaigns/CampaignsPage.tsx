/** The page lists the workspace's campaigns by status, with their audience, progress and rates. */
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useAsk, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { IconButton } from '../../parts/IconButton.tsx'
import { Listing, type EmptyList } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { ChooseColumns, useShown } from '../../parts/table/ChooseColumns.tsx'
import { DateMenu } from '../../parts/table/DateMenu.tsx'
import { ListTools } from '../../parts/table/ListTools.tsx'
import { usePeriod } from '../../parts/table/period.ts'
import { useSorting } from '../../parts/table/sorting.ts'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useCampaignColumns } from './campaign-columns.tsx'
import { useRowActs } from './CampaignMenu.tsx'
import { CampaignsBar } from './CampaignsBar.tsx'
import { NewCampaign } from './NewCampaign.tsx'
import { campaignStatuses } from './view.ts'

const listRoute = getRouteApi('/$slug/campaigns')
const cleared = { q: '', status: '', days: '', from: '', to: '' }
const newestFirst = '-date'

export function CampaignsPage() {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const [creating, { open, close }] = useDisclosure()
  const { q, status, sort = newestFirst } = listRoute.useSearch()
  const sorting = useSorting(['date', 'name'], newestFirst)
  const matching = { ...(q !== undefined && { q }), ...usePeriod() }
  const filter = { ...matching, ...(status && { status }) }
  const read = useList(
    'listCampaigns',
    { query: { ...filter, sort } },
    { poll: (last) => (isFirstPage(last) ? 4_000 : false) },
  )
  const { data: totals } = useAsk('countCampaigns', { query: matching }, { poll: 15_000 })
  const total = status ? totals?.statuses[status] : totals?.all
  const { act, dialogs } = useRowActs()
  const columns = useCampaignColumns(act)
  const create = mayEdit && <IconButton icon="plus" label={t('create')} onClick={open} />
  return (
    <Page title={t('title')} beside={<TitleTotal total={total} />} about={t('about')} main={create}>
      <StatusTabs
        label={t('status')}
        tabs={[
          { value: '', label: t('statusAll'), total: totals?.all },
          ...campaignStatuses.map((value) => ({
            ...{ value, label: t(`tab_${value}`), total: totals?.statuses[value] },
          })),
        ]}
      />
      <ListTools
        label={t('search')}
        search={<SearchField label={t('search')} />}
        names={['days', 'from', 'to']}
      >
        <DateMenu />
        <ChooseColumns columns={columns} />
      </ListTools>
      <Listing
        label={t('title')}
        read={read}
        columns={columns}
        idOf={({ id }) => id}
        linkOf={({ id, status: state }) =>
          state === 'draft' && mayEdit ? `campaigns/${id}/edit` : `campaigns/${id}`
        }
        empty={useEmpty(Object.keys(filter).length > 0, create)}
        total={total}
        sorting={sorting}
        shown={useShown(columns)}
        selecting={
          mayEdit
            ? {
                labelOf: ({ name }) => name,
                maySelect: ({ status: state }) => state === 'draft',
                view: JSON.stringify(filter),
                renderBar: (props) => <CampaignsBar {...props} />,
              }
            : undefined
        }
      />
      {dialogs}
      <NewCampaign opened={creating} onClose={close} />
    </Page>
  )
}

function useEmpty(isFiltered: boolean, action: EmptyList['action']): EmptyList {
  const { t } = useTranslation('drafts')
  const change = useChangeFilters()
  if (!isFiltered) return { icon: 'campaigns', title: t('none'), action, why: t('noneWhy') }
  const clear = { label: t('showAll'), onClick: () => change(cleared) }
  return { icon: 'search', title: t('noneFound'), clear, why: t('noneFoundWhy') }
}
