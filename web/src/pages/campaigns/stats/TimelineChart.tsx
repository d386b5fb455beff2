/** The chart of the timeline, loaded only on the page of statistics. */
import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.layer.css'
import type { CampaignResults } from '../../../../../src/contract/workspace/campaign-results.ts'

interface TimelineChartProps {
  rows: CampaignResults['timeline']
  names: { opened: string; clicked: string }
}

export default function TimelineChart({ rows, names }: TimelineChartProps) {
  const data = rows.map(({ label, opened, clicked }) => ({
    label,
    [names.opened]: opened,
    [names.clicked]: clicked,
  }))
  return (
    <BarChart
      h={220}
      data={data}
      dataKey="label"
      withLegend
      tickLine="none"
      gridAxis="y"
      yAxisProps={{ width: 44, allowDecimals: false }}
      barProps={{ isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
      series={[
        { name: names.opened, color: 'facteur.5' },
        { name: names.clicked, color: 'teal.6' },
      ]}
    />
  )
}
