/**
 * The hooks hold the two bounds of a range as day or time fields hold them; the range never ends
 * before it begins.
 */
import { useState, type ChangeEvent } from 'react'
import { beginningOf, dayAfter } from './local-day.ts'
import { useChangeFilters, useFilter } from './use-filter.ts'

/**
 * As the fields write them (`2026-11-21`, `2026-11-21T08:30`), which sort as text. Empty means
 * open.
 */
export interface Range {
  from: string
  to: string
}

interface BoundField {
  value: string
  min?: string
  max?: string
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
  onBlur: () => void
}

const isInverted = ({ from, to }: Range): boolean => from !== '' && to !== '' && from > to

export const inOrder = (range: Range): Range =>
  isInverted(range) ? { from: range.to, to: range.from } : range

/**
 * The fields of a range. While the user types a bound beyond the other one, the hook holds it back,
 * since a year comes digit by digit. When the field loses the focus, the other bound moves to it.
 */
export function useRange(
  range: Range,
  change: (range: Range) => void,
): Record<keyof Range, BoundField> {
  const [typed, setTyped] = useState<Partial<Range>>({})
  const { from, to } = { ...range, ...typed }
  const field = (bound: keyof Range): Omit<BoundField, 'min' | 'max'> => ({
    value: bound === 'from' ? from : to,
    onChange: ({ currentTarget: { value } }) => {
      const next = { ...range, [bound]: value }
      setTyped(isInverted(next) ? { [bound]: value } : {})
      if (!isInverted(next)) change(next)
    },
    onBlur: () => {
      const value = typed[bound]
      setTyped({})
      if (value !== undefined) change({ from: value, to: value })
    },
  })
  return { from: { ...field('from'), max: range.to }, to: { ...field('to'), min: range.from } }
}

/**
 * The days of a page's address. A user may have written them there in the wrong order: the hook
 * swaps them.
 */
export function useDays(): Range {
  return inOrder({ from: useFilter('from')[0], to: useFilter('to')[0] })
}

/**
 * The same as moments, each only where it is given: from the first of them, up to before the
 * second.
 */
export function useMoments(): Partial<Range> {
  const days = useDays()
  const [from, to] = [beginningOf(days.from), dayAfter(days.to)]
  return { ...(from !== null && { from }), ...(to !== null && { to }) }
}

export function useDayFields(): Record<keyof Range, BoundField> {
  const change = useChangeFilters()
  return useRange(useDays(), ({ from, to }) => change({ from, to }))
}
