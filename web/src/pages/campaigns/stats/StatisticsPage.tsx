/** What came of a campaign: how far the mail went, when it was opened, by what, what was clicked, and what was not counted. */
import { Button, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { addressOf } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { Failure } from '../../../parts/Failure.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { KnownRun } from '../run/KnownRun.tsx'
import { Audience } from './Audience.tsx'
import { Funnel } from './Funnel.tsx'
import { HeatMap } from './HeatMap.tsx'
import { Links } from './Links.tsx'
import { Openers } from './Openers.tsx'
import { Timeline } from './Timeline.tsx'

export function StatisticsPage(): ReactNode {
  return <KnownRun tab="statistics">{(flight) => <Statistics flight={flight} />}</KnownRun>
}

/** News comes for days: while somebody looks, it is read anew now and then, and more often as long as mail leaves. */
const sendingMs = 4_000
const laterMs = 20_000

function Statistics({ flight: { campaign } }: { flight: CampaignRun }): ReactNode {
  const { t } = useTranslation('results')
  const { id = '' } = useParams({ strict: false })
  const poll = campaign.status === 'sending' ? sendingMs : laterMs
  const { data, error, refetch } = useAsk('getCampaignResults', { params: { id } }, { poll })
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />
  if (data.campaign.sentAt === null)
    return (
      <Empty icon="campaigns" title={t('notYet')}>
        {t('notYetWhy')}
      </Empty>
    )
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="flex-end">
        {(['csv', 'json'] as const).map((format) => (
          <Button
            key={format}
            component="a"
            href={addressOf('exportCampaignResults', { params: { id }, query: { format } })}
            download
            variant="default"
            size="sm"
            leftSection={<Icon name="download" size={16} />}
          >
            {t(`export_${format}`)}
          </Button>
        ))}
      </Group>
      <Funnel results={data} />
      <Timeline results={data} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Openers results={data} />
        <Audience results={data} />
      </SimpleGrid>
      <Links results={data} />
      <HeatMap id={id} results={data} />
    </Stack>
  )
}

function Loading(): ReactNode {
  const { t } = useTranslation('shell')
  return (
    <Stack role="status" aria-busy="true" aria-label={t('loading')}>
      <Skeleton height={180} />
      <Skeleton height={260} />
      <Skeleton height={180} />
    </Stack>
  )
}
