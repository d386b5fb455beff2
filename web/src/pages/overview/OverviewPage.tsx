/**
 * The overview shows the results of a workspace first, what needs attention, and its limits; a new
 * workspace sends its first mail here.
 */
import { SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InputOf } from '../../../../src/contract/operations.ts'
import { useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { LimitsRow } from './LimitsRow.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import type { Overview } from './overview.ts'
import { RecentCampaigns } from './RecentCampaigns.tsx'
import classes from './Results.module.css'
import { ResultsCard } from './ResultsCard.tsx'
import { Suspended } from './Suspended.tsx'
import { Tiles } from './Tiles.tsx'

const FirstMail = lazy(() => import('./FirstMail.tsx'))

const periodLengths: readonly NonNullable<InputOf<'getOverview'>['query']['days']>[] = [
  ...(['7', '30', '90'] as const),
]

/** The page polls faster while the service still counts days. */
const pollOf = (last: unknown): number =>
  (last as Overview | undefined)?.period.complete === false ? 1_000 : 20_000

export function OverviewPage() {
  const { t } = useTranslation('overview')
  const [chosen, choose] = useFilter('days')
  const days = periodLengths.find((length) => length === chosen) ?? '30'
  const overview = useAsk('getOverview', { query: { days } }, { poll: pollOf })
  const { data } = overview
  return (
    <Page
      title={t('title')}
      actions={
        data?.steps.email && (
          <SegmentedControl
            aria-label={t('period')}
            value={days}
            onChange={choose}
            data={periodLengths.map((value) => ({
              value,
              label: t('days', { count: Number(value) }),
            }))}
          />
        )
      }
    >
      <Loaded of={overview} waiting={<Waiting />}>
        {(loaded) => <Content overview={loaded} />}
      </Loaded>
    </Page>
  )
}

function Content({ overview }: { overview: Overview }) {
  const mayEdit = useMay('editor')
  // What was sent here goes on to its outcome while the user stays on the page.
  const [isNew] = useState(!overview.steps.email)
  return (
    <Stack gap="md">
      <Suspended sending={overview.sending} />
      {isNew && mayEdit && (
        <Suspense fallback={<Skeleton height={300} radius="lg" />}>
          <FirstMail overview={overview} />
        </Suspense>
      )}
      {overview.steps.email && (
        <>
          <Tiles period={overview.period} />
          <ResultsCard period={overview.period} />
        </>
      )}
      <div className={classes.columns}>
        {overview.steps.email && <RecentCampaigns campaigns={overview.campaigns} />}
        <NeedsAttention overview={overview} />
      </div>
      <FirstSteps steps={overview.steps} />
      <LimitsRow {...overview} />
    </Stack>
  )
}

function Waiting() {
  const { t } = useTranslation('shell')
  return (
    <Stack gap="md" aria-busy role="status" aria-label={t('loading')}>
      <Skeleton height={130} radius="lg" />
      <Skeleton height={340} radius="lg" />
    </Stack>
  )
}
