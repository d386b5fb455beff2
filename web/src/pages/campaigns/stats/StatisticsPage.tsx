/**
 * The page shows how far a campaign's mail went, its opens and clicks, and what the statistics
 * leave out.
 */
import { Group, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { addressOf } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { languageNow } from '../../../language.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { DownloadButton } from '../../../parts/links.tsx'
import { Loaded, Waiting } from '../../../parts/Loaded.tsx'
import { MailFrame } from '../../../parts/MailFrame.tsx'
import { PaperSection } from '../../../parts/Section.tsx'
import { KnownRun } from '../run/KnownRun.tsx'
import { Audience, Funnel, Links, Openers } from './Shares.tsx'
import { Timeline } from './Timeline.tsx'

export function StatisticsPage() {
  return <KnownRun tab="statistics">{(run) => <Statistics run={run} />}</KnownRun>
}

/**
 * Feedback comes for days: an open page reads it again at intervals, which are shorter while the
 * campaign sends.
 */
const sendingMs = 4_000
const laterMs = 20_000

function Statistics({ run: { campaign } }: { run: CampaignRun }) {
  const { t } = useTranslation('results')
  const { id } = campaign
  const poll = campaign.status === 'sending' ? sendingMs : laterMs
  const results = useAsk('getCampaignResults', { params: { id } }, { poll })
  return (
    <Loaded
      of={results}
      waiting={<Waiting parts={[{ height: 180 }, { height: 260 }, { height: 180 }]} />}
    >
      {(data) =>
        data.campaign.sentAt === null ? (
          <Empty icon="campaigns" title={t('notYet')}>
            {t('notYetWhy')}
          </Empty>
        ) : (
          <Shown id={id} results={data} />
        )
      }
    </Loaded>
  )
}

function Shown({ id, results }: { id: string; results: CampaignResults }) {
  const { t } = useTranslation('results')
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="flex-end">
        {(['csv', 'json'] as const).map((format) => (
          <DownloadButton
            key={format}
            href={addressOf('exportCampaignResults', { params: { id }, query: { format } })}
          >
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

/** Shows the sent mail on demand, with each link's share of the clicks drawn on it. */
function HeatMap({ id, results: { tracked } }: { id: string; results: CampaignResults }) {
  const { t } = useTranslation('results')
  const query = { language: languageNow() }
  const address = addressOf('getCampaignHeatMap', { params: { id }, query })
  const addressWithImages = addressOf('getCampaignHeatMap', {
    params: { id },
    query: { ...query, images: '1' },
  })
  return (
    <PaperSection
      gap="md"
      title={t(tracked.clicks ? 'heatMap' : 'mailAsSent')}
      about={tracked.clicks && t('heatMapAbout')}
    >
      <MailFrame
        address={address}
        addressWithImages={addressWithImages}
        title={t('heatMap')}
        height="70vh"
      />
    </PaperSection>
  )
}
