/** The frames of the preview, which change without flickering. */
import { useState } from 'react'
import { useMailScale } from '../../../parts/MailFrame.tsx'
import classes from './Preview.module.css'

/**
 * Loads the next page behind the visible one and then replaces it, so that nothing flickers while
 * the user types.
 */
export function PreviewFrames({
  address,
  title,
  isNarrow,
}: {
  address: string
  title: string
  isNarrow: boolean
}) {
  const [shownAddress, setAddress] = useState(address)
  const frames = shownAddress === address ? [address] : [shownAddress, address]
  const { ref, style } = useMailScale(isNarrow ? 'phone' : 'desktop')
  return (
    <div ref={ref} className={classes.stage} data-narrow={isNarrow}>
      {frames.map((each) => (
        <iframe
          key={each}
          className={classes.frame}
          style={style}
          sandbox=""
          referrerPolicy="no-referrer"
          title={title}
          src={each}
          aria-hidden={each !== shownAddress}
          tabIndex={each === shownAddress ? 0 : -1}
          data-seen={each === shownAddress}
          onLoad={() => setAddress(each === address ? address : shownAddress)}
        />
      ))}
    </div>
  )
}
