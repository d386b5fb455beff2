/** The notice that mail leaves more slowly, because the provider asked for a slower pace. */
import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { sayCount } from './overview.ts'
import type { Overview } from './overview.ts'

export function ThrottledNotice({ throttled }: { throttled: NonNullable<Overview['throttled']> }): ReactNode {
  const { t, i18n } = useTranslation('overview')
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'medium' }).format(new Date(throttled.until))
  const pace = throttled.per_second
  return (
    <Alert variant="default" icon={<Icon name="warning" />} title={t('throttled')} role="note">
      <Text size="sm">
        {t('throttledWhy', { time })}
        {pace !== null && ` ${t('throttledPace', { pace: sayCount(Math.round(pace), i18n.language) })}`}
      </Text>
    </Alert>
  )
}
