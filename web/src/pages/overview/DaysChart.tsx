/** The days as stacked bars, and the same as a table for those who do not see them. */
import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.layer.css'
import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { outcomes, sayCount, type Overview } from './overview.ts'

export default function DaysChart({ days, height }: { days: Overview['days']; height: number }) {
  const { t, i18n } = useTranslation('overview')
  const sayDay = (day: string, dateStyle: 'long' | 'short'): string =>
    new Intl.DateTimeFormat(i18n.language, {
      timeZone: 'UTC',
      ...(dateStyle === 'long' ? { dateStyle } : { day: 'numeric', month: 'short' }),
    }).format(new Date(`${day}T00:00:00Z`))
  const series = outcomes.map((outcome) => ({
    name: outcome,
    label: t(outcome),
    color: `var(--outcome-${outcome})`,
  }))
  const none = { delivered: 0, waiting: 0, complained: 0, bounced: 0, failed: 0 }
  return (
    <>
      <div aria-hidden>
        <BarChart
          h={height}
          type="stacked"
          data={days.map(({ day, counts }) => ({ day: sayDay(day, 'short'), ...none, ...counts }))}
          dataKey="day"
          series={series}
          tickLine="none"
          gridAxis="x"
          strokeDasharray="0"
          maxBarWidth={22}
          valueFormatter={(value) => sayCount(value, i18n.language)}
          xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 28, tickMargin: 8 }}
          yAxisProps={{ width: 44, allowDecimals: false }}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table aria-label={t('chartLabel')}>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              {outcomes.map((outcome) => (
                <th key={outcome} scope="col">
                  {t(outcome)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, counts }) => (
              <tr key={day}>
                <th scope="row">{sayDay(day, 'long')}</th>
                {outcomes.map((outcome) => (
                  <td key={outcome}>{counts ? sayCount(counts[outcome], i18n.language) : '…'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
