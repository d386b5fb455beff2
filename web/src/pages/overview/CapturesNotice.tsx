/** Says that no mail leaves, where the capture mailbox takes it all. */
import { Alert, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'

export function CapturesNotice(): ReactNode {
  const { t } = useTranslation('overview')
  return (
    <Alert variant="default" icon={<Icon name="captured" />} title={t('captures')} role="note">
      <Group gap="xs">
        <Text size="sm">{t('capturesWhy')}</Text>
        <PageLink to="captured" size="sm">
          {t('seeCaptured')}
        </PageLink>
      </Group>
    </Alert>
  )
}
