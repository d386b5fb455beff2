/**
 * The card shows thirty days of mail: the totals of each outcome, and a chart by day that loads
 * once there is mail.
 */
import { Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../../parts/Empty.tsx'
import { AnchorButton } from '../../parts/links.tsx'
import classes from './DaysCard.module.css'
import { addUp, assumedOf, outcomes, sayCount, sayShare, type Overview } from './overview.ts'

const DaysChart = lazy(() => import('./DaysChart.tsx'))

const height = 260

export function DaysCard({ days }: { days: Overview['days'] }) {
  const { t, i18n } = useTranslation('overview')
  const sums = addUp(days)
  const total = outcomes.reduce((sum, outcome) => sum + sums[outcome], 0)
  const known = assumedOf(days)
  const isCounting = days.some(({ counts }) => counts === null)
  return (
    <Paper component="section" aria-labelledby="days-title">
      <Group justify="space-between" align="baseline">
        <Title order={2} id="days-title">
          {t('last30')}
        </Title>
        <Text c="dimmed">{t('total', { count: total })}</Text>
      </Group>
      <Text c="dimmed">{t('last30About')}</Text>
      {total === 0 && !isCounting ? (
        <Empty
          icon="emails"
          title={t('noMail')}
          action={
            <AnchorButton href="/docs" variant="default" size="xs">
              {t('toReference')}
            </AnchorButton>
          }
        >
          {t('noMailWhy')}
        </Empty>
      ) : (
        <Stack gap="md" mt="md">
          <dl className={classes.sums}>
            {outcomes.map((outcome) => (
              <div key={outcome} className={classes.sum}>
                <dt>
                  <span className={classes.dot} data-outcome={outcome} aria-hidden />
                  {t(outcome)}
                </dt>
                <dd>
                  {sayCount(sums[outcome], i18n.language)}
                  {total > 0 && <small> {sayShare(sums[outcome] / total, i18n.language)}</small>}
                </dd>
              </div>
            ))}
          </dl>
          {known !== null && known.delivered > 0 && (
            <Text c="dimmed" data-figure="assumed">
              {t(known.assumed === 0 ? 'noneAssumed' : 'assumed', {
                n: sayCount(known.assumed, i18n.language),
                share: sayShare(known.assumed / known.delivered, i18n.language),
              })}
            </Text>
          )}
          {total === 0 ? (
            // The service still counts days: there may be nothing to draw.
            <Skeleton height={height} />
          ) : (
            <Suspense fallback={<Skeleton height={height} />}>
              <DaysChart days={days} height={height} />
            </Suspense>
          )}
        </Stack>
      )}
    </Paper>
  )
}
