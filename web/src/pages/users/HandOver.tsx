/** The link of an invitation that no mail brings to whom it is for: why, and the link itself, this once. */
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { OnceDialog } from '../../parts/FormDialog.tsx'
import { Icon } from '../../parts/Icon.tsx'

const whys = {
  asked: 'handOverAsked',
  no_sender: 'handOverNoSender',
  suspended: 'handOverSuspended',
  captured: 'handOverCaptured',
} as const

interface HandOverProps {
  title: string
  /** Null: closed. */
  invited: Got<'inviteMember'> | null
  onClose: () => void
}

export function HandOver({ title, invited, onClose }: HandOverProps) {
  const { t } = useTranslation('users')
  return (
    <OnceDialog opened={invited !== null} onClose={onClose} title={title}>
      {invited && (
        <Stack>
          <Alert color="yellow" icon={<Icon name="warning" />} role="status">
            {t(whys[invited.shown_because ?? 'asked'])} {t('handOver', { email: invited.email })}
          </Alert>
          <CopyField value={invited.link ?? ''} label={t('invitationLink')} wrap />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('done')}</Button>
          </Group>
        </Stack>
      )}
    </OnceDialog>
  )
}
