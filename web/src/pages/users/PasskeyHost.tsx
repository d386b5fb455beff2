/** Links to the same page under the host where passkeys work, when this page has another host. */
import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

export function PasskeyHost({ host }: { host: string }) {
  const { t } = useTranslation('users')
  const there = new URL(window.location.href)
  there.hostname = host
  return (
    <Text>
      {t('passkeyHost', { host })}{' '}
      <Anchor href={there.href}>{t('openThere', { host: there.host })}</Anchor>
    </Text>
  )
}
