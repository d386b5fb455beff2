/** A text as a picture that a phone reads: dark on light whatever the theme, with the margin that readers need. */
import { useMemo } from 'react'
import { encode } from 'uqr'

/** Light squares around it (ISO/IEC 18004 6.3.8). */
const margin = 4

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = useMemo(() => encode(text, { ecc: 'M', border: margin }), [text])
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={220} height={220} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
