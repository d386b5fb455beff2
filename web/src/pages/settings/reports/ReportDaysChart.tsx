/**
 * What was reported of each day as stacked bars, and the same as a table for those who do not see
 * them.
 */
import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.layer.css'
import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sayDate } from '../../../say-date.ts'

interface ReportDaysChartProps {
  days: ({ day: string } & { [name: string]: string | number })[]
  series: { name: string; label: string; color: string }[]
  label: string
}

export default function ReportDaysChart({ days, series, label }: ReportDaysChartProps) {
  const { t, i18n } = useTranslation('settings')
  const say = (day: string, options: Intl.DateTimeFormatOptions): string =>
    sayDate(new Date(`${day}T00:00:00Z`), i18n.language, { timeZone: 'UTC', ...options })
  return (
    <>
      <div aria-hidden>
        <BarChart
          h={200}
          type="stacked"
          data={days.map((counts) => ({
            ...counts,
            day: say(counts.day, { day: 'numeric', month: 'short' }),
          }))}
          dataKey="day"
          series={series}
          tickLine="none"
          gridAxis="x"
          strokeDasharray="0"
          maxBarWidth={22}
          withLegend
          valueFormatter={(value) => value.toLocaleString(i18n.language)}
          yAxisProps={{ width: 44, allowDecimals: false }}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table aria-label={t('byDay', { what: label })}>
          <thead>
            <tr>
              <th scope="col">{t('day')}</th>
              {series.map((item) => (
                <th key={item.name} scope="col">
                  {item.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((counts) => (
              <tr key={counts.day}>
                <th scope="row">{say(counts.day, { dateStyle: 'long' })}</th>
                {series.map((item) => (
                  <td key={item.name}>{counts[item.name]?.toLocaleString(i18n.language)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
