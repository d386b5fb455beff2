/**
 * The preview shows a captured mail as wide as on a computer or a phone, in a frame that runs
 * nothing and is as high as its mail.
 */
import { Group, SegmentedControl, Stack, Switch } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Captured.module.css'

/** In pixels; a mail of 600 has a margin of 32 on both sides (src/mail/campaign/mail-look.ts). */
const widths = { '600': 664, '375': 375 } as const
type Width = keyof typeof widths

const isWidth = (text: string): text is Width => text in widths

/** A page that narrow is a phone's, which shows a mail as a phone does. */
const phoneWidth = 480
const heightMax = 30_000

interface MailPreviewProps {
  title: string
  address: string
  addressWithImages: string
}

export function MailPreview({ title, address, addressWithImages }: MailPreviewProps) {
  const { t } = useTranslation('captured')
  const [images, setImages] = useState(false)
  const [chosen, choose] = useState<Width | null>(null)
  const { ref, width: room } = useElementSize<HTMLDivElement>()
  const mode = chosen ?? (room > 0 && room <= phoneWidth ? '375' : '600')
  const width = mode === '375' && room > 0 ? Math.min(widths[mode], room) : widths[mode]
  const scale = room > 0 && room < width ? room / width : 1
  const { frame, height, measure } = useMailHeight(width)
  return (
    <Stack gap="sm">
      <Group gap="md" justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t('width')}
          value={mode}
          onChange={(value) => isWidth(value) && choose(value)}
          data={[
            { value: '600', label: t('width600') },
            { value: '375', label: t('width375') },
          ]}
        />
        <Switch
          label={t('showImages')}
          description={t('showImagesWhy')}
          checked={images}
          onChange={(event) => setImages(event.currentTarget.checked)}
          size="sm"
        />
      </Group>
      <div ref={ref} className={classes.ground}>
        <div className={classes.paper} style={{ width: width * scale, height: height * scale }}>
          <iframe
            ref={frame}
            className={classes.frame}
            style={{ width, height, transform: `scale(${scale})`, transformOrigin: '0 0' }}
            // No script, form or way out of the frame; its origin only lets this page measure it.
            sandbox="allow-same-origin"
            referrerPolicy="no-referrer"
            title={title}
            src={images ? addressWithImages : address}
            onLoad={measure}
          />
        </div>
      </div>
    </Stack>
  )
}

/** Measures the mail when it has loaded, and again at another width. */
function useMailHeight(width: number) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(240)
  const measure = useCallback(() => {
    const { current } = frame
    const page = current?.contentDocument?.documentElement
    if (!current || !page) return
    // A frame that is higher than its mail would say its own height.
    current.style.height = '0'
    const measured = Math.min(heightMax, Math.max(60, page.scrollHeight))
    current.style.height = `${measured}px`
    setHeight(measured)
  }, [])
  useEffect(measure, [measure, width])
  return { frame, height, measure }
}
