/** What came of a campaign: how far the mail went, when it was opened, by what, what was clicked, and what was not counted. */
import { Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { addressOf } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { DownloadButton } from '../../../parts/links.tsx'
import { Loaded } from '../../../parts/Loaded.tsx'
import { KnownRun } from '../run/KnownRun.tsx'
import { Audience } from './Audience.tsx'
import { Funnel } from './Funnel.tsx'
import { HeatMap } from './HeatMap.tsx'
import { Links } from './Links.tsx'
import { Openers } from './Openers.tsx'
import { Timeline } from './Timeline.tsx'

export function StatisticsPage() {
  return <KnownRun tab="statistics">{(run) => <Statistics run={run} />}</KnownRun>
}

/** Feedback comes for days: while the page is open it is read again now and then, and more often as long as mail leaves. */
const sendingMs = 4_000
const laterMs = 20_000

function Statistics({ run: { campaign } }: { run: CampaignRun }) {
  const { id = '' } = useParams({ strict: false })
  const poll = campaign.status === 'sending' ? sendingMs : laterMs
  const results = useAsk('getCampaignResults', { params: { id } }, { poll })
  return (
    <Loaded of={results} waiting={<Waiting />}>
      {(data) => (data.campaign.sentAt === null ? <NotYet /> : <Shown id={id} results={data} />)}
    </Loaded>
  )
}

function NotYet() {
  const { t } = useTranslation('results')
  return (
    <Empty icon="campaigns" title={t('notYet')}>
      {t('notYetWhy')}
    </Empty>
  )
}

function Shown({ id, results }: { id: string; results: CampaignResults }) {
  const { t } = useTranslation('results')
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="flex-end">
        {(['csv', 'json'] as const).map((format) => (
          <DownloadButton key={format} href={addressOf('exportCampaignResults', { params: { id }, query: { format } })}>
            {t(`export_${format}`)}
          </DownloadButton>
        ))}
      </Group>
      <Funnel results={results} />
      <Timeline results={results} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Openers results={results} />
        <Audience results={results} />
      </SimpleGrid>
      <Links results={results} />
      <HeatMap id={id} results={results} />
    </Stack>
  )
}

function Waiting() {
  const { t } = useTranslation('shell')
  return (
    <Stack role="status" aria-busy="true" aria-label={t('loading')}>
      <Skeleton height={180} />
      <Skeleton height={260} />
      <Skeleton height={180} />
    </Stack>
  )
}
