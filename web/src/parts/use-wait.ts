/** How long a refusal asks to be left alone yet, in seconds, counted down before the reader's eyes; 0 when it does not. */
import { useEffect, useState } from 'react'
import { waitMs } from '../api/refusal.ts'

export function useWait(error: unknown): number {
  const [, count] = useState(0)
  const left = Math.ceil(waitMs(error) / 1_000)
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => count((before) => before + 1), waitMs(error) % 1_000 || 1_000)
    return () => clearTimeout(timer)
  })
  return left
}
