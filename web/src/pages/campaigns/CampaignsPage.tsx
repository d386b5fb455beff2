/** The page lists the workspace's campaigns with their kind, state, progress and results. */
import { Group, Progress, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { FoundCampaign } from '../../../../src/contract/workspace/drafts.ts'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { FilterSelect } from '../../parts/FilterSelect.tsx'
import { IconButton } from '../../parts/IconButton.tsx'
import { Listing, None, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { NewCampaign } from './NewCampaign.tsx'
import { runTones, stateInList } from './run/run-state.ts'

const campaignStatuses = ['draft', 'scheduled', 'sending', 'sent', 'archived'] as const

export function CampaignsPage() {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const [creating, { open, close }] = useDisclosure()
  const [q] = useFilter('q')
  const [status] = useFilter('status')
  const chosen = campaignStatuses.find((each) => each === status)
  const read = useList(
    'listCampaigns',
    { query: { ...(q && { q }), ...(chosen && { status: chosen }) } },
    { poll: 8_000 },
  )
  const create = mayEdit && <IconButton icon="plus" label={t('create')} onClick={open} />
  const isFiltered = q !== '' || chosen !== undefined
  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <Group gap="sm">
        <SearchField label={t('search')} />
        <FilterSelect
          name="status"
          label={t('status')}
          any={t('statusAll')}
          options={campaignStatuses.map((value) => ({ value, label: t(`status_${value}`) }))}
          w={220}
        />
      </Group>
      <Listing
        label={t('title')}
        read={read}
        columns={useColumns()}
        idOf={({ id }) => id}
        linkOf={({ id, status: state }) =>
          state === 'draft' && mayEdit ? `campaigns/${id}/edit` : `campaigns/${id}`
        }
        empty={
          isFiltered
            ? { icon: 'search', title: t('noneFound'), why: t('noneFoundWhy') }
            : { icon: 'campaigns', title: t('none'), action: create, why: t('noneWhy') }
        }
      />
      <NewCampaign opened={creating} onClose={close} />
    </Page>
  )
}

function useColumns(): Column<FoundCampaign>[] {
  const { t } = useTranslation('drafts')
  return [
    {
      header: t('campaign'),
      cell: ({ name, subject }) => (
        <Stack gap={0} component="span" display="inline-flex">
          <UserText variant="strong">{name}</UserText>
          <UserText variant="small">{subject === '' ? t('noSubject') : subject}</UserText>
        </Stack>
      ),
    },
    {
      header: t('status'),
      cell: (campaign) => {
        const state = stateInList(campaign)
        return <Status tone={runTones[state]}>{t(`status_${state}`)}</Status>
      },
    },
    { header: t('results'), cell: (campaign) => <Results campaign={campaign} />, short: true },
    {
      header: t('changed'),
      cell: ({ sentAt, scheduledAt, updated_at }) => (
        <Moment at={scheduledAt ?? sentAt ?? updated_at} exact={scheduledAt !== null} />
      ),
    },
  ]
}

/** Shows the progress of a running campaign and the results of a sent one; before that, nothing. */
function Results({ campaign }: { campaign: FoundCampaign }) {
  const { t, i18n } = useTranslation('drafts')
  const { status, recipients, progress, counts, rates } = campaign
  const say = (count: number): string => count.toLocaleString(i18n.language)
  if (recipients === 0) return <None />
  if (status === 'sending') {
    const done = recipients - progress.pending
    const words = t('handedOver', { done: say(done), total: say(recipients) })
    return (
      <Stack gap={4}>
        <Text>{words}</Text>
        <Progress value={(done / recipients) * 100} size="sm" aria-label={words} />
      </Stack>
    )
  }
  const share = (rate: number | null): string =>
    rate === null
      ? '–'
      : new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(
          rate,
        )
  return (
    <Text>
      {t('deliveredOf', {
        count: recipients,
        delivered: say(counts.delivered),
        total: say(recipients),
      })}
      <br />
      <Text component="span" c="dimmed">
        {t('openedClicked', { opened: share(rates.opened), clicked: share(rates.clicked) })}
      </Text>
    </Text>
  )
}
