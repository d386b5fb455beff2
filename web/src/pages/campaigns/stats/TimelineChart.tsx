/** The chart of first opens and clicks, loaded only on the page of results. */
import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.layer.css'

export interface LabelledBar {
  label: string
  opened: number
  clicked: number
}

interface TimelineChartProps {
  rows: readonly LabelledBar[]
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
      legendProps={{ itemSorter: null }}
      tickLine="none"
      gridAxis="x"
      xAxisProps={{ interval: 'equidistantPreserveStart', minTickGap: 12 }}
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
