/** A line that says until when confirmations wait that programs caused; absent while none waits. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { sayDate } from '../../say-date.ts'

export function WaitingConfirmations() {
  const { t, i18n } = useTranslation('subscribers')
  const { data } = useAsk('getConfirmationQueue', {}, { poll: 30_000 })
  if (!data || data.until === null) return null
  const format = { dateStyle: 'medium', timeStyle: 'short' } as const
  const time = sayDate(new Date(data.until), i18n.language, format)
  return <Text c="dimmed">{t('confirmationsWait', { count: data.per_minute, time })}</Text>
}
