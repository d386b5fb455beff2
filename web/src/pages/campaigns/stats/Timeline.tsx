/** First opens and clicks by hour in the first day, then by day, as charts and as tables. */
import { Skeleton, Table } from '@mantine/core'
import { Suspense, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from '../run/use-figures.ts'
import type { LabelledBar } from './TimelineChart.tsx'

const TimelineChart = lazy(() => import('./TimelineChart.tsx'))

type Bar = CampaignResults['bars'][number]

export function Timeline({ results: { bars, tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  if (!tracked.opens && !tracked.clicks) return null
  const hours = bars.filter(({ hours: span }) => span < 24)
  const days = [firstDay(hours), ...bars.filter(({ hours: span }) => span === 24)]
  const isDaily = days.slice(1).some(({ opened, clicked }) => opened + clicked > 0)
  return (
    <>
      <Chart
        title={t(hours.some(({ hours: span }) => span > 1) ? 'timeline' : 'timelineHours')}
        header={t('hours')}
        bars={hours.map(({ from, hours: span, ...bar }) => ({
          ...bar,
          label: t('hourRange', { from, to: from + span }),
        }))}
      />
      {isDaily && (
        <Chart
          title={t('timelineDays')}
          header={t('days')}
          bars={days.map((bar, at) => ({ ...bar, label: t('dayOf', { n: at + 1 }) }))}
        />
      )}
    </>
  )
}

const firstDay = (hours: readonly Bar[]): Pick<Bar, 'opened' | 'clicked'> => ({
  opened: hours.reduce((sum, { opened }) => sum + opened, 0),
  clicked: hours.reduce((sum, { clicked }) => sum + clicked, 0),
})

function Chart({ title, header, bars }: { title: string; header: string; bars: LabelledBar[] }) {
  const { t } = useTranslation('results')
  const { count } = useFigures()
  const names = { opened: t('opened'), clicked: t('clicked') }
  return (
    <PaperSection gap="md" title={title} about={t('timelineAbout')}>
      <div aria-hidden>
        <Suspense fallback={<Skeleton height={220} />}>
          <TimelineChart rows={bars} names={names} />
        </Suspense>
      </div>
      <details>
        <summary>{t('asTable')}</summary>
        <Table.ScrollContainer minWidth={280}>
          <Table aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{header}</Table.Th>
                <Table.Th>{names.opened}</Table.Th>
                <Table.Th>{names.clicked}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {bars.map(({ label, opened, clicked }) => (
                <Table.Tr key={label}>
                  <Table.Th scope="row">{label}</Table.Th>
                  <Table.Td>{count(opened)}</Table.Td>
                  <Table.Td>{count(clicked)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </details>
    </PaperSection>
  )
}
