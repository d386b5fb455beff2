/** All campaigns of the workspace: what each is, where it stands, how far it is and what came of it, at a glance. */
import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { campaignStatusOf, campaignStatuses } from './campaign-status.ts'
import type { FoundCampaign } from '../../../../src/contract/workspace/drafts.ts'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { NewCampaign } from './NewCampaign.tsx'

export function CampaignsPage() {
  const { t } = useTranslation('drafts')
  const mayEdit = useMay('editor')
  const [creating, { open, close }] = useDisclosure()
  const [q] = useFilter('q')
  const [status, setStatus] = useFilter('status')
  const chosen = campaignStatuses.find((each) => each === status)
  const read = useList('searchCampaigns', { query: { ...(q && { q }), ...(chosen && { status: chosen }) } }, { poll: 8_000 })
  const create = mayEdit && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
      {t('create')}
    </Button>
  )
  const isFiltered = q !== '' || chosen !== undefined
  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      <Group gap="sm">
        <SearchField label={t('search')} />
        <Select
          aria-label={t('status')}
          data={[
            { value: '', label: t('statusAll') },
            ...campaignStatuses.map((value) => ({ value, label: t(`status_${value}`) })),
          ]}
          value={chosen ?? ''}
          onChange={(value) => setStatus(value ?? '')}
          allowDeselect={false}
          w={220}
        />
      </Group>
      <Listing
        label={t('title')}
        read={read}
        columns={useColumns()}
        idOf={({ id }) => id}
        linkOf={({ id, status: state }) => (state === 'draft' && mayEdit ? `campaigns/${id}/edit` : `campaigns/${id}`)}
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
    { header: t('campaign'), cell: (campaign) => <Name campaign={campaign} /> },
    { header: t('status'), cell: (campaign) => <State campaign={campaign} /> },
    { header: t('results'), cell: (campaign) => <Results campaign={campaign} />, short: true },
    {
      header: t('changed'),
      cell: ({ sentAt, scheduledAt, updated_at }) => (
        <Moment at={scheduledAt ?? sentAt ?? updated_at} exact={scheduledAt !== null} />
      ),
    },
  ]
}

function Name({ campaign: { name, subject } }: { campaign: FoundCampaign }) {
  const { t } = useTranslation('drafts')
  return (
    <Stack gap={0} component="span" display="inline-flex">
      <UserText look="strong">{name}</UserText>
      <UserText look="small">{subject === '' ? t('noSubject') : subject}</UserText>
    </Stack>
  )
}

function State({ campaign }: { campaign: FoundCampaign }) {
  const { t } = useTranslation('drafts')
  const { word, tone } = campaignStatusOf(campaign)
  return <Status tone={tone}>{t(`status_${word}`)}</Status>
}

/** While it is on its way: how far. Afterwards: what came of it. Before: nothing. */
function Results({ campaign }: { campaign: FoundCampaign }) {
  const { t, i18n } = useTranslation('drafts')
  const { status, recipients, progress, counts, rates } = campaign
  const say = (count: number): string => count.toLocaleString(i18n.language)
  if (recipients === 0)
    return (
      <Text size="md" c="dimmed">
        –
      </Text>
    )
  if (status === 'sending') {
    const done = recipients - progress.pending
    return (
      <Stack gap={4}>
        <Text>{t('handedOver', { done: say(done), total: say(recipients) })}</Text>
        <Progress
          value={(done / recipients) * 100}
          size="sm"
          aria-label={t('handedOver', { done: say(done), total: say(recipients) })}
        />
      </Stack>
    )
  }
  const share = (rate: number | null): string =>
    rate === null ? '–' : new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(rate)
  return (
    <Text>
      {t('deliveredOf', { count: recipients, delivered: say(counts.delivered), total: say(recipients) })}
      <br />
      <Text component="span" c="dimmed">
        {t('openedClicked', { opened: share(rates.opened), clicked: share(rates.clicked) })}
      </Text>
    </Text>
  )
}
