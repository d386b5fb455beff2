/** How many items a list has, beside the title of its page. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sayTotal, type Total } from './say-total.ts'

export function TitleTotal({ total }: { total: Total | undefined }) {
  const { t, i18n } = useTranslation('shell')
  if (!total) return null
  return (
    <Text c="dimmed" component="span">
      {t('total', { count: total.count, number: sayTotal(total, i18n.language) })}
    </Text>
  )
}
