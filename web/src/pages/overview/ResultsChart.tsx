/** The known days as stacked areas, and the same as a table for those who do not see them. */
import { AreaChart } from '@mantine/charts'
import '@mantine/charts/styles.layer.css'
import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sayDay } from '../../parts/say-time.ts'
import { sayDate } from '../../say-date.ts'
import { countedDays, outcomes, sayCount, type Period } from './overview.ts'

export default function ResultsChart({ period, height }: { period: Period; height: number }) {
  const { t, i18n } = useTranslation('overview')
  const days = countedDays(period)
  const short = (day: string): string =>
    sayDate(new Date(day), i18n.language, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  const series = outcomes.map((outcome) => ({
    name: outcome,
    label: t(outcome),
    color: `var(--outcome-${outcome})`,
  }))
  return (
    <>
      <div aria-hidden>
        <AreaChart
          h={height}
          type="stacked"
          data={days.map(({ day, counts }) => ({ ...counts, day: short(day) }))}
          dataKey="day"
          series={series}
          withLegend
          legendProps={{ itemSorter: null }}
          withDots={false}
          curveType="linear"
          fillOpacity={0.75}
          tickLine="none"
          gridAxis="x"
          strokeDasharray="0"
          valueFormatter={(value) => sayCount(value, i18n.language)}
          xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 28, tickMargin: 8 }}
          yAxisProps={{ width: 44, allowDecimals: false }}
          areaProps={{ isAnimationActive: false }}
          areaChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table aria-label={t('chartLabel')}>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              {series.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, counts }) => (
              <tr key={day}>
                <th scope="row">{sayDay(new Date(day), i18n.language, 'UTC')}</th>
                {outcomes.map((outcome) => (
                  <td key={outcome}>{sayCount(counts[outcome], i18n.language)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
