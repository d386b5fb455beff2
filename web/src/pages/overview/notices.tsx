/** Notices about how mail leaves: not at all, or more slowly. */
import { Alert, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { sayCount, type Overview } from './overview.ts'

/** The capture mailbox takes all mail. */
export function CapturesNotice() {
  const { t } = useTranslation('overview')
  return (
    <Alert variant="default" icon={<Icon name="captured" />} title={t('captures')} role="note">
      <Group gap="xs">
        <Text>{t('capturesWhy')}</Text>
        <PageLink to="captured" size="sm">
          {t('seeCaptured')}
        </PageLink>
      </Group>
    </Alert>
  )
}

/** The provider asked for a slower pace. */
export function ThrottledNotice({ throttled }: { throttled: NonNullable<Overview['throttled']> }) {
  const { t, i18n } = useTranslation('overview')
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'medium' }).format(new Date(throttled.until))
  const pace = throttled.per_second
  return (
    <Alert variant="default" icon={<Icon name="warning" />} title={t('throttled')} role="note">
      <Text>
        {t('throttledWhy', { time })}
        {pace !== null && ` ${t('throttledPace', { pace: sayCount(Math.round(pace), i18n.language) })}`}
      </Text>
    </Alert>
  )
}
