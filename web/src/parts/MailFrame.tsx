/** Shows third-party HTML by its address, in a frame without scripts, requests to other sites, or access to our pages. */
import { Group, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './MailFrame.module.css'
import { useMailScale } from './use-mail-scale.ts'

interface MailFrameProps {
  /** Of an operation that answers text/html, with its slug and all. */
  address: string
  title: string
  /** The same with the pictures of others; absent: they are never asked for. */
  addressWithImages?: string
  height?: string
}

/**
 * Nothing of ours can see how tall the mail is. Its text gives an idea: two words need no page, a long one scrolls within its frame,
 * which can be drawn taller.
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
