import { useEffect, useRef, type RefObject } from 'react'

/**
 * Keyboards and screen readers begin where the new page does (WCAG 2.4.3), unless a dialog that was
 * opened while the page loaded has them.
 * @returns for the title of the page
 */
export function useArrival(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (document.activeElement?.closest('[role=dialog]') == null)
      heading.current?.focus({ preventScroll: true })
  }, [])
  return heading
}
