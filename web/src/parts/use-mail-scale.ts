/** Gives a mail in a frame the room of a computer's window, however narrow the page around it is: the frame is drawn smaller. */
import { useElementSize } from '@mantine/hooks'
import type { CSSProperties, RefCallback } from 'react'

/** Pixels: a mail of ours (src/mail/campaign/mail-look.ts), with a margin of 32 on both sides. Columns stand beside each other from 600 on. */
const desktopWidth = 664

/** Pixels: a page that narrow is a phone's, where mails have a layout of their own (src/mail/campaign/mail-look.ts). */
const phoneWidth = 480

interface MailScale {
  /** Of the element that the frame fills. */
  ref: RefCallback<HTMLDivElement | null>
  /** Of the frame. */
  style: CSSProperties
}

/** `desktop`: always the room of a window; `here`: a phone shows the mail as a phone does; `phone`: never drawn smaller. */
export function useMailScale(as: 'desktop' | 'here' | 'phone'): MailScale {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const isScaled = width > 0 && width < desktopWidth && (as === 'desktop' || (as === 'here' && width > phoneWidth))
  const scale = isScaled ? width / desktopWidth : 1
  const size = `${100 / scale}%`
  return { ref, style: { width: size, height: size, transform: `scale(${scale})`, transformOrigin: '0 0' } }
}
