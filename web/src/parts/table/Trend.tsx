/** A thin line of how a number went, beside the words that say it. */
export function Trend({ values }: { values: readonly number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * 96 + 2
    const y = high === low ? 14 : 26 - ((value - low) / (high - low)) * 24
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg viewBox="0 0 100 28" width={100} height={28} preserveAspectRatio="none" aria-hidden>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.6}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
