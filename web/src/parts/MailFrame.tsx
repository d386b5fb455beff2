/**
 * Shows third-party HTML by its address, in a frame without scripts, requests to other sites, or
 * access to our pages.
 */
import { Group, Stack, Switch, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState, type CSSProperties, type RefCallback } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './MailFrame.module.css'

interface MailFrameProps {
  /** The address of an operation that answers text/html, with its slug. */
  address: string
  title: string
  /** The same address with images of other sites. Absent means the frame never requests them. */
  addressWithImages?: string
  height?: string
}

/**
 * The page cannot measure a mail inside its frame, so the length of the text sets the height. A
 * long mail scrolls within its frame, which the reader can draw taller.
 */
export function heightFor(text: string | null): string {
  if (text === null) return '60vh'
  const lines = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 70), 0)
  return `min(60vh, ${160 + lines * 26}px)`
}

export function MailFrame({ address, title, addressWithImages, height = '60vh' }: MailFrameProps) {
  const { t } = useTranslation('shell')
  const [images, setImages] = useState(false)
  const { ref, style } = useMailScale('here')
  return (
    <Stack gap="xs">
      {addressWithImages !== undefined && (
        <Group gap="sm">
          <Switch
            label={t('showImages')}
            checked={images}
            onChange={(event) => setImages(event.currentTarget.checked)}
            size="sm"
          />
          <Text c="dimmed">{t('showImagesWhy')}</Text>
        </Group>
      )}
      <div ref={ref} className={classes.stage} style={{ height }}>
        <iframe
          className={classes.frame}
          style={style}
          sandbox=""
          referrerPolicy="no-referrer"
          title={title}
          src={images ? addressWithImages : address}
        />
      </div>
    </Stack>
  )
}

/**
 * Pixels: a mail of ours (src/mail/campaign/mail-style.ts), with a margin of 32 on both sides.
 * Columns stand beside each other from 600 on.
 */
const desktopWidth = 664

/**
 * Pixels: a page that narrow is a phone's, where mails have a layout of their own
 * (src/mail/campaign/mail-style.ts).
 */
const phoneWidth = 480

interface MailScale {
  /** The reference to the element that the frame fills. */
  ref: RefCallback<HTMLDivElement | null>
  /** The style of the frame. */
  style: CSSProperties
}

/**
 * Gives a mail in a frame the width of a computer's window, however narrow the page is, and scales
 * the frame down. `desktop`: always the width of a window; `here`: a phone shows the mail as a
 * phone does; `phone`: never scaled down.
 */
export function useMailScale(as: 'desktop' | 'here' | 'phone'): MailScale {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const isScaled =
    width > 0 && width < desktopWidth && (as === 'desktop' || (as === 'here' && width > phoneWidth))
  const scale = isScaled ? width / desktopWidth : 1
  const size = `${100 / scale}%`
  return {
    ref,
    style: { width: size, height: size, transform: `scale(${scale})`, transformOrigin: '0 0' },
  }
}
