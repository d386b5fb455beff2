/** These keys walk through the list: `j` and `k`, `/` to the search, `#` deletes, `o` opens. */
import { useWindowEvent } from '@mantine/hooks'

export interface KeyActs {
  go: (step: 1 | -1) => void
  search: () => void
  remove: () => void
  open: () => void
}

export function useKeys({ go, search, remove, open }: KeyActs): void {
  const acts: Record<string, () => void> = {
    j: () => go(1),
    k: () => go(-1),
    '/': search,
    '#': remove,
    o: open,
  }
  useWindowEvent('keydown', (event) => {
    const act = acts[event.key]
    if (!act || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
    event.preventDefault()
    act()
  })
}

/** The reader types, or a dialog is open. */
const isBusy = (target: EventTarget | null): boolean =>
  (target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))) ||
  document.querySelector('[role="dialog"]') !== null
