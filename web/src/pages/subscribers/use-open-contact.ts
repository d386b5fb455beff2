/**
 * The contact whose sheet is open beside the list, in the page's address, and the way from row to
 * row.
 */
import { useNavigate } from '@tanstack/react-router'
import type { ListRead } from '../../api/use-ask.ts'
import { listRoute } from './use-conditions.ts'

type Rows = Pick<ListRead<{ id: string }>, 'items' | 'hasMore' | 'isLoadingMore' | 'loadMore'>

export interface OpenContact {
  /** Undefined: no sheet is open. */
  id: string | undefined
  open: (id: string) => void
  close: () => void
  /** Goes on to the row before (-1) or behind (1); the end of what was read asks for more. */
  step: (by: -1 | 1) => void
}

export function useOpenContact({ items, hasMore, isLoadingMore, loadMore }: Rows): OpenContact {
  const { contact: id } = listRoute.useSearch()
  const navigate = useNavigate()
  const show = (contact: string | undefined): void =>
    void navigate({
      ...{ to: '.', replace: true, resetScroll: false },
      search: (before: object) => ({ ...before, contact }),
    })
  return {
    id,
    open: show,
    close() {
      show(undefined)
      if (id !== undefined) focusRow(id)
    },
    step(by) {
      const at = items.findIndex((item) => item.id === id)
      const next = at === -1 ? undefined : items[at + by]
      if (next) {
        rowLink(next.id)?.scrollIntoView({ block: 'center' })
        show(next.id)
      } else if (by === 1 && at !== -1 && hasMore && !isLoadingMore) loadMore()
    },
  }
}

const rowLink = (id: string): HTMLElement | null =>
  document.querySelector(`tbody a[href$="/subscribers/${CSS.escape(id)}"]`)

/** Once the sheet lets the focus go. */
const focusRow = (id: string): void =>
  void requestAnimationFrame(() => rowLink(id)?.focus({ preventScroll: true }))
