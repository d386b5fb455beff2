/** Switches a webhook off, saying what that means, and on again. */
import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { sayWhat } from '../../parts/refusal-words.ts'
import { Icon } from '../../parts/Icon.tsx'
import { notifyDone, notifyRefused } from '../../parts/notify.ts'

export function EnableWebhook({ health }: { health: WebhookHealth }): ReactNode {
  const { t } = useTranslation('webhooks')
  const { t: ofShell } = useTranslation('shell')
  const [asks, { open, close }] = useDisclosure(false)
  const { id, enabled, name } = health.webhook
  const { mutateAsync, isPending } = useAct('updateWebhook', { refresh: ['listWebhookHealth', 'listWebhookJournal'] })
  const enable = async (): Promise<void> => {
    try {
      await mutateAsync({ params: { id }, body: { enabled: true } })
      notifyDone(t('enabledNow', { name }))
    } catch (error) {
      notifyRefused(sayWhat(error, ofShell))
    }
  }
  if (!enabled)
    return (
      <Button leftSection={<Icon name="play" size={16} />} loading={isPending} onClick={() => void enable()}>
        {t('enable')}
      </Button>
    )
  return (
    <>
      <Button variant="default" leftSection={<Icon name="pause" size={16} />} onClick={open}>
        {t('disable')}
      </Button>
      <Confirm
        opened={asks}
        onClose={close}
        title={t('disableTitle', { name })}
        verb={t('disable')}
        onConfirm={() => mutateAsync({ params: { id }, body: { enabled: false } })}
      >
        <Text size="sm">{t('disableWhat', { waiting: health.waiting })}</Text>
      </Confirm>
    </>
  )
}
