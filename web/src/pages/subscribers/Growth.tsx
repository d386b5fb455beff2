/**
 * How many are subscribed, how that changed in the last days, and a line of it: a phone has room for
 * the number alone.
 */
import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Trend } from '../../parts/table/Trend.tsx'
import { useIsWide } from '../../parts/use-is-wide.ts'

export function Growth() {
  const { t, i18n } = useTranslation('subscribers')
  const { data } = useAsk('getAudienceTotals')
  const isWide = useIsWide()
  if (!data) return null
  const values = data.days.map(({ subscribed }) => subscribed)
  const change = (values.at(-1) ?? 0) - (values[0] ?? 0)
  const number = new Intl.NumberFormat(i18n.language).format(data.statuses.subscribed)
  const signed = new Intl.NumberFormat(i18n.language, { signDisplay: 'always' }).format(change)
  return (
    <Group gap="sm">
      <Text c="dimmed">
        {t('subscribedTotal', { count: data.statuses.subscribed, number })}
        {isWide && change !== 0 && ` · ${t('growth', { change: signed, days: values.length - 1 })}`}
      </Text>
      {isWide && <Trend values={values} />}
    </Group>
  )
}
