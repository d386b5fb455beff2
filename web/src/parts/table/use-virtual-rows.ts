/**
 * The hook draws the rows of a long list that are in sight, and keeps the one that has the focus.
 * A short list is drawn whole.
 */
import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from 'react'

/** A list of no more rows is drawn whole. */
export const wholeMax = 100

/** The height of a row before it was measured, in pixels. */
const rowHeight = 46

const drawnBeyond = 12

export interface VirtualRow {
  index: number
  /** The pixels between the row before, and this one. */
  gap: number
}

/** `ids`: of all rows that were read, in their order. */
export function useVirtualRows(ids: readonly string[]): {
  body: RefObject<HTMLTableSectionElement | null>
  rows: VirtualRow[]
  /** The pixels after the last row. */
  rest: number
  measure: (row: HTMLElement | null) => void
  onFocus: (event: FocusEvent<HTMLElement>) => void
  onBlur: () => void
} {
  const body = useRef<HTMLTableSectionElement>(null)
  const count = ids.length
  const [focusedId, setFocused] = useState<string | null>(null)
  // The row stays drawn wherever a new answer puts it.
  const focused = focusedId === null ? -1 : ids.indexOf(focusedId)
  const [scrollMargin, setMargin] = useState(0)
  // What stands above the list may grow at any time, and the page with it.
  useLayoutEffect(() => {
    const measureTop = (): void => {
      if (body.current) setMargin(Math.round(body.current.getBoundingClientRect().top + scrollY))
    }
    const observer = new ResizeObserver(measureTop)
    observer.observe(document.body)
    measureTop()
    return () => observer.disconnect()
  }, [])
  // The compiler leaves this hook as it is, since the virtualizer answers by its own state.
  // oxlint-disable-next-line react/incompatible-library
  const { getVirtualItems, getTotalSize, measureElement } = useWindowVirtualizer({
    ...{ count, scrollMargin, estimateSize: () => rowHeight, overscan: drawnBeyond },
    rangeExtractor: (range) => drawnOf(range, focused),
  })
  const items = getVirtualItems()
  const rows = items.map(({ index, start }, at) => {
    const before = items[at - 1]
    return { index, gap: Math.max(0, start - (before ? before.end : scrollMargin)) }
  })
  const last = items.at(-1)
  return {
    ...{ body, rows, measure: measureElement },
    rest: last ? Math.max(0, getTotalSize() + scrollMargin - last.end) : 0,
    onFocus: ({ target }) => {
      const index = target.closest('tr')?.dataset['index']
      setFocused(ids[Number(index)] ?? null)
    },
    onBlur: () => setFocused(null),
  }
}

/** `focused`: -1 if no row has the focus. */
function drawnOf(range: Range, focused: number): number[] {
  if (range.count <= wholeMax) return Array.from({ length: range.count }, (_, index) => index)
  const inSight = defaultRangeExtractor(range)
  if (focused === -1 || inSight.includes(focused)) return inSight
  return [...inSight, focused].toSorted((index, other) => index - other)
}
