/**
 * The contact whose sheet is open beside the list, in the page's address, and the way from row to
 * row.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ListRead } from '../../api/use-ask.ts'
import { listRoute } from './use-conditions.ts'

type Rows = Pick<ListRead<{ id: string }>, 'items' | 'hasMore' | 'isLoadingMore' | 'loadMore'>

export interface OpenContact {
  /** Undefined: no sheet is open. */
  id: string | undefined
  open: (id: string) => void
  close: () => void
  /** Goes on to the row before (-1) or behind (1); the end of what was read goes on with more. */
  step: (by: -1 | 1) => void
  /** Whether there is such a row. */
  mayStep: (by: -1 | 1) => boolean
}

export function useOpenContact({ items, hasMore, isLoadingMore, loadMore }: Rows): OpenContact {
  const { contact: id } = listRoute.useSearch()
  const navigate = useNavigate()
  const show = (contact: string | undefined): void =>
    void navigate({
      ...{ to: '.', replace: true, resetScroll: false },
      search: (before: object) => ({ ...before, contact }),
    })
  const { isPlaced, before, behind } = useNeighbours(items, id)
  const mayAsk = isPlaced && hasMore
  const [waiting, setWaiting] = useState<string>()
  const go = (next: { id: string }): void => {
    rowLink(next.id)?.scrollIntoView({ block: 'center' })
    show(next.id)
  }
  const goOn = useEffectEvent(() => behind && go(behind))
  const hasCome = id !== undefined && waiting === id && behind !== undefined
  useEffect(() => {
    if (hasCome) goOn()
  }, [hasCome])
  return {
    id,
    open(contact) {
      setWaiting(undefined)
      show(contact)
    },
    close() {
      show(undefined)
      if (id !== undefined) focusRow(id)
    },
    step(by) {
      const next = by === 1 ? behind : before
      setWaiting(next ? undefined : id)
      if (next) return go(next)
      if (by === -1 || !mayAsk) return
      if (!isLoadingMore) loadMore()
    },
    mayStep: (by) => (by === 1 ? behind !== undefined || mayAsk : before !== undefined),
  }
}

/** A contact who left the list, by a change in the sheet, leaves their place to the row behind. */
function useNeighbours(items: Rows['items'], id: string | undefined) {
  const at = items.findIndex((item) => item.id === id)
  const [last, setLast] = useState(-1)
  const now = id === undefined ? -1 : at === -1 ? last : at
  if (now !== last) setLast(now)
  const isPlaced = now !== -1
  return { isPlaced, before: items[now - 1], behind: items[at === -1 ? now : now + 1] }
}

const rowLink = (id: string): HTMLElement | null =>
  document.querySelector(`tbody a[href$="/subscribers/${CSS.escape(id)}"]`)

/** Once the sheet lets the focus go. */
const focusRow = (id: string): void =>
  void requestAnimationFrame(() => rowLink(id)?.focus({ preventScroll: true }))
