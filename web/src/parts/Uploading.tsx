/**
 * Shows how much of a file has left and a button that aborts; once all of it has left, the service
 * reads it.
 */
import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Watch } from '../api/send-file.ts'
import { Progress } from './Progress.tsx'

export function Uploading({
  label,
  upload: { sent, total, cancel },
}: {
  label: string
  upload: Upload
}) {
  const { t, i18n } = useTranslation('shell')
  if (sent === total) return <Progress label={t('fileRead')} done={0} total={null} />
  return (
    <Stack gap="xs" align="flex-start">
      <Progress
        label={label}
        done={sent}
        total={total}
        say={(bytes) => formatBytes(bytes, i18n.language)}
      />
      <Button size="xs" variant="default" onClick={cancel}>
        {t('cancel')}
      </Button>
    </Stack>
  )
}

const kilo = 1_024

/** A size as it is read: `812 kB`, `3.2 MB`, `3,2 Mo`. */
function formatBytes(bytes: number, language: string): string {
  const [unit, share] =
    bytes < kilo * kilo ? (['kilobyte', kilo] as const) : (['megabyte', kilo * kilo] as const)
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumFractionDigits: unit === 'kilobyte' ? 0 : 1,
  })
  return format.format(bytes / share)
}

export interface Upload {
  /** The call that sends the file takes this `Watch`. */
  begin: (file: Blob) => Watch
  /** Bytes. */
  sent: number
  total: number
  cancel: () => void
}

export function useUpload(): Upload {
  const [{ abort, ...far }, set] = useState({ sent: 0, total: 0, abort: new AbortController() })
  return {
    ...far,
    begin(file) {
      const upload = { total: file.size, abort: new AbortController() }
      set({ ...upload, sent: 0 })
      return { signal: upload.abort.signal, onSent: (sent) => set({ ...upload, sent }) }
    },
    cancel: () => abort.abort(),
  }
}
