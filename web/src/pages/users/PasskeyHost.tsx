/** Where passkeys count, where this page is not there: the same page under that name. */
import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function PasskeyHost({ host }: { host: string }) {
  const { t } = useTranslation('users')
  const there = new URL(window.location.href)
  there.hostname = host
  return (
    <Text>
      {t('passkeyHost', { host })} <Anchor href={there.href}>{t('openThere', { host: there.host })}</Anchor>
    </Text>
  )
}
