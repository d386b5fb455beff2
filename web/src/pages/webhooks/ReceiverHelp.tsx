/** Explains to authors of a receiver how to verify and accept webhook calls. */
import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function ReceiverHelp() {
  const { t } = useTranslation('webhooks')
  return (
    <Text c="dimmed">
      {t('receiverWhy')}{' '}
      <Anchor href="/docs#receiving-webhooks" underline="always">
        {t('receiverGuide')}
      </Anchor>
    </Text>
  )
}
