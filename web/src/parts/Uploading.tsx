/** How far a file is on its way from here; when all of it has left, the service reads it. */
import { Button, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Progress } from './Progress.tsx'
import { formatBytes } from './format-bytes.ts'
import type { Upload } from './use-upload.ts'

export function Uploading({ label, upload: { sent, total, cancel } }: { label: string; upload: Upload }) {
  const { t, i18n } = useTranslation('shell')
  if (sent === total) return <Progress label={t('fileRead')} done={0} total={null} />
  return (
    <Stack gap="xs" align="flex-start">
      <Progress label={label} done={sent} total={total} say={(bytes) => formatBytes(bytes, i18n.language)} />
      <Button size="xs" variant="default" onClick={cancel}>
        {t('cancel')}
      </Button>
    </Stack>
  )
}
