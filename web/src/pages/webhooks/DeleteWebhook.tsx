/** Deletes a webhook with its journal, once its name was typed. */
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../../../src/contract/workspace/webhooks.ts'
import { useAct } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { usePlace } from '../../parts/links.tsx'
import { notifyDone } from '../../parts/notify.ts'

export function DeleteWebhook({ health }: { health: WebhookHealth }): ReactNode {
  const { t } = useTranslation('webhooks')
  const place = usePlace()
  const navigate = useNavigate()
  const [asks, { open, close }] = useDisclosure(false)
  const { id, name } = health.webhook
  const { mutateAsync } = useAct('deleteWebhook')
  const remove = async (): Promise<void> => {
    await mutateAsync({ params: { id } })
    notifyDone(t('deletedNow', { name }))
    await navigate({ to: place('webhooks') })
  }
  return (
    <Stack component="section" gap="xs" aria-labelledby="delete">
      <Title order={2} size="h3" id="delete">
        {t('deleteHeading')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('deleteLead')}
      </Text>
      <Group>
        <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={open}>
          {t('delete')}
        </Button>
      </Group>
      <Confirm
        opened={asks}
        onClose={close}
        title={t('deleteTitle', { name })}
        verb={t('delete')}
        danger
        typed={name}
        onConfirm={remove}
      >
        <Text size="sm">{t('deleteWhat', { waiting: health.waiting })}</Text>
      </Confirm>
    </Stack>
  )
}
