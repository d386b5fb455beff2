/** The link of an invitation that no mail brings to whom it is for: why, and the link itself, this once. */
import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Icon } from '../../parts/Icon.tsx'

type Invited = Got<'inviteMember'>

const whys = {
  asked: 'handOverAsked',
  no_sender: 'handOverNoSender',
  suspended: 'handOverSuspended',
  captured: 'handOverCaptured',
} as const

export function HandOver({ invited, onClose }: { invited: Invited; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />} role="status">
        {t(whys[invited.shown_because ?? 'asked'])} {t('handOver', { email: invited.email })}
      </Alert>
      <CopyField value={invited.link ?? ''} label={t('invitationLink')} wrap />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('done')}</Button>
      </Group>
    </Stack>
  )
}

/** While the link is shown nothing but its button closes the dialog: what is closed by mistake is lost. */
export const staysOpen = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false } as const
