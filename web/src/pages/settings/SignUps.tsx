/** How many contacts came by a form lately, and the share of them that confirmed. */
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Form } from '../../../../src/contract/workspace/forms.ts'
import { sayTotal } from '../../parts/table/say-total.ts'

export function SignUps({ of: { sign_ups: came } }: { of: Form }) {
  const { t, i18n } = useTranslation('settings')
  const { count, confirmed } = came
  if (count === 0) return <Text c="dimmed">{t('noSignUps')}</Text>
  const share = (confirmed / count).toLocaleString(i18n.language, {
    style: 'percent',
    maximumFractionDigits: 0,
  })
  return (
    <Text>{t('signUpsConfirmed', { count, number: sayTotal(came, i18n.language), share })}</Text>
  )
}
