/** A line that says until when confirmations wait that programs caused; absent while none waits. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'

export function WaitingConfirmations() {
  const { t, i18n } = useTranslation('subscribers')
  const { data } = useAsk('getConfirmationQueue', {}, { poll: 30_000 })
  if (!data || data.until === null) return null
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Text c="dimmed">
      {t('confirmationsWait', { count: data.per_minute, time: time.format(new Date(data.until)) })}
    </Text>
  )
}
