/**
 * Says once for the whole page that the service is away; what the page was reading comes back by
 * itself.
 */
import { Alert } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { awayStore } from '../api/service-away.ts'
import { Icon } from './Icon.tsx'

export function AwayBar() {
  const { t } = useTranslation('shell')
  const isAway = useSyncExternalStore(awayStore.subscribe, awayStore.read)
  if (!isAway) return null
  return (
    <Alert
      color="yellow"
      radius={0}
      mb="md"
      role="alert"
      icon={<Icon name="warning" />}
      title={t('away')}
    >
      {t('awayWhy')}
    </Alert>
  )
}
