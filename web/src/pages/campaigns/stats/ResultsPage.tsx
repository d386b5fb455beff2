/**
 * The page shows the results of a campaign: its rates, when it was read, its links, and the mail
 * beside them.
 */
import { Group, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { addressOf } from '../../../api/client.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { DownloadButton } from '../../../parts/links.tsx'
import { Loaded, Waiting } from '../../../parts/Loaded.tsx'
import { Approval } from '../run/Approval.tsx'
import { CampaignFacts } from '../run/CampaignFacts.tsx'
import { KnownRun, OnceSent } from '../run/KnownRun.tsx'
import { Notices } from '../run/Notices.tsx'
import { LiveProgress } from '../run/Progress.tsx'
import { Audience } from './Audience.tsx'
import { Headline } from './Headline.tsx'
import { Links } from './Links.tsx'
import { Openers } from './Openers.tsx'
import classes from './Results.module.css'
import { SentMail } from './SentMail.tsx'
import { Timeline } from './Timeline.tsx'

export function ResultsPage() {
  return (
    <KnownRun tab="results">
      {(run) => (
        <OnceSent run={run}>
          <Stack gap="lg">
            <Notices run={run} />
            <Approval run={run} />
            <LiveProgress run={run} />
            <Results run={run} />
            <CampaignFacts run={run} />
          </Stack>
        </OnceSent>
      )}
    </KnownRun>
  )
}

/**
 * Feedback comes for days: an open page reads it again at intervals, which are shorter while the
 * campaign sends.
 */
const sendingMs = 4_000
const laterMs = 20_000

function Results({ run: { campaign } }: { run: CampaignRun }) {
  const { t } = useTranslation('results')
  const { id } = campaign
  const poll = campaign.status === 'sending' ? sendingMs : laterMs
  const results = useAsk('getCampaignResults', { params: { id } }, { poll })
  return (
    <Loaded
      of={results}
      waiting={<Waiting parts={[{ height: 110 }, { height: 260 }, { height: 180 }]} />}
    >
      {(data) =>
        data.campaign.sentAt === null ? (
          <Empty icon="campaigns" title={t('notYet')}>
            {t('notYetWhy')}
          </Empty>
        ) : (
          <Shown results={data} />
        )
      }
    </Loaded>
  )
}

function Shown({ results }: { results: CampaignResults }) {
  return (
    <Stack gap="lg">
      <Headline results={results} />
      <div className={classes.split}>
        <Stack gap="lg" miw={0}>
          <Timeline results={results} />
          <Links results={results} />
        </Stack>
        <SentMail results={results} />
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Openers results={results} />
        <Audience results={results} />
      </SimpleGrid>
      <Exports id={results.campaign.id} />
    </Stack>
  )
}

function Exports({ id }: { id: string }) {
  const { t } = useTranslation('results')
  return (
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
  )
}
