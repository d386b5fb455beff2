/** First opens and clicks over the 48 hours after the campaign began, as a chart and as a table. */
import { Skeleton, Table } from '@mantine/core'
import { Suspense, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'
import { PaperSection } from '../../../parts/Section.tsx'
import { useFigures } from '../run/use-figures.ts'

const TimelineChart = lazy(() => import('./TimelineChart.tsx'))

export function Timeline({ results: { timeline, tracked } }: { results: CampaignResults }) {
  const { t } = useTranslation('results')
  const { count } = useFigures()
  if (!tracked.opens && !tracked.clicks) return null
  const names = { opened: t('opened'), clicked: t('clicked') }
  return (
    <PaperSection gap="md" title={t('timeline')} about={t('timelineAbout')}>
      <div aria-hidden>
        <Suspense fallback={<Skeleton height={220} />}>
          <TimelineChart rows={timeline} names={names} />
        </Suspense>
      </div>
      <details>
        <summary>{t('asTable')}</summary>
        <Table.ScrollContainer minWidth={280}>
          <Table aria-label={t('timeline')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('hours')}</Table.Th>
                <Table.Th>{names.opened}</Table.Th>
                <Table.Th>{names.clicked}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {timeline.map(({ label, opened, clicked }) => (
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
