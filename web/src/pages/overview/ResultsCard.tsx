/** The mails of the period by what became of them: a chart that loads once there is mail. */
import { Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { assumedOf, countedDays, outcomes, sayCount, sayShare, type Period } from './overview.ts'

const ResultsChart = lazy(() => import('./ResultsChart.tsx'))

const height = 260

export function ResultsCard({ period }: { period: Period }) {
  const { t, i18n } = useTranslation('overview')
  const total = outcomes.reduce((sum, outcome) => sum + period.totals[outcome], 0)
  const known = assumedOf(period)
  const expired = period.complete ? period.each.length - countedDays(period).length : 0
  return (
    <PaperSection
      title={t('byDay')}
      size="h2"
      about={t('byDayAbout', { zone: period.time_zone })}
      beside={<Text c="dimmed">{t('total', { count: total })}</Text>}
    >
      {total === 0 && period.complete ? (
        <Empty icon="emails" title={t('noMail', { count: period.days })} />
      ) : total === 0 ? (
        <Skeleton height={height} />
      ) : (
        <Suspense fallback={<Skeleton height={height} />}>
          <ResultsChart period={period} height={height} />
        </Suspense>
      )}
      {expired > 0 && (
        <Text c="dimmed" size="sm">
          {t('daysExpired', { count: expired })}
        </Text>
      )}
      {known !== null && known.delivered > 0 && (
        <Text c="dimmed" size="sm" data-figure="assumed">
          {t(known.assumed === 0 ? 'noneAssumed' : 'assumed', {
            n: sayCount(known.assumed, i18n.language),
            share: sayShare(known.assumed / known.delivered, i18n.language),
          })}
        </Text>
      )}
    </PaperSection>
  )
}
