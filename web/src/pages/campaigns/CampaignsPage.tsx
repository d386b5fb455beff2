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
import { ListTools } from '../../parts/table/ListTools.tsx'
import { StatusTabs } from '../../parts/table/StatusTabs.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useCampaignColumns } from './campaign-columns.tsx'
import { useRowActs } from './CampaignMenu.tsx'
import { CampaignsBar } from './CampaignsBar.tsx'
import { NewCampaign } from './NewCampaign.tsx'
import { campaignStatuses } from './view.ts'

const listRoute = getRouteApi('/$slug/campaigns')

export function CampaignsPage() {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const [creating, { open, close }] = useDisclosure()
  const { q, status } = listRoute.useSearch()
  const matching = q === undefined ? {} : { q }
  const query = { ...matching, ...(status && { status }) }
  const read = useList(
    'listCampaigns',
    { query },
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
      <ListTools label={t('search')} search={<SearchField label={t('search')} />}>
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
        empty={useEmpty(Object.keys(query).length > 0, create)}
        total={total}
        shown={useShown(columns)}
        selecting={
          mayEdit
            ? {
                labelOf: ({ name }) => name,
                maySelect: ({ status: state }) => state === 'draft',
                view: JSON.stringify(query),
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
  const clear = { label: t('showAll'), onClick: () => change({ q: '', status: '' }) }
  return { icon: 'search', title: t('noneFound'), clear, why: t('noneFoundWhy') }
}
