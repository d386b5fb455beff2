/**
 * The line above every page: where the page is, whether mail is captured, the search, and the main
 * button of the page. On a phone the header has the two in the middle.
 */
import { CapturedBadge } from './CapturedBadge.tsx'
import { GoTo } from './GoTo.tsx'
import classes from './TopLine.module.css'

interface TopLineProps {
  /** The page draws the way to it here (`Page`), and its main button. */
  crumbsRef: (element: HTMLElement | null) => void
  mainRef: (element: HTMLElement | null) => void
  isWide: boolean
}

export function TopLine({ crumbsRef, mainRef, isWide }: TopLineProps) {
  return (
    <div className={classes.line}>
      <div className={classes.crumbs} ref={crumbsRef} />
      {isWide && (
        <>
          <CapturedBadge />
          <GoTo />
        </>
      )}
      <div className={classes.main} ref={mainRef} />
    </div>
  )
}
