/** What an owner of all workspaces should know of the installation. */
import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { type Overview, sayCount } from './overview.ts'

export function InstallationNotices({ overview }: { overview: Overview }) {
  const { backup_failed: failedAt, copy_share: share, tls_failures: failures } = overview
  return (
    <>
      {share !== null && <CopyNotice share={share} />}
      {failedAt !== null && <BackupNotice since={failedAt} />}
      {failures && <TlsNotice failures={failures} />}
    </>
  )
}

/** Its last step refuses new data for a few seconds. */
function CopyNotice({ share }: { share: number }) {
  const { t, i18n } = useTranslation('overview')
  const done = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(share)
  return (
    <Alert icon={<Icon name="clock" />} title={t('copying')} role="note">
      <Text>{t('copyingWhy', { done })}</Text>
    </Alert>
  )
}

/** Users cannot mend it, but they can ask. */
function BackupNotice({ since }: { since: string }) {
  const { t } = useTranslation('overview')
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t('backupFailed')} role="note">
      <Text>
        {t('backupFailedWhy')} <Moment at={since} exact />
      </Text>
    </Alert>
  )
}

/** Mail hosts whose encryption does not hold what their domain asks for. */
function TlsNotice({ failures }: { failures: NonNullable<Overview['tls_failures']> }) {
  const { t, i18n } = useTranslation('overview')
  const say = (count: number): string => sayCount(count, i18n.language)
  return (
    <Alert variant="default" icon={<Icon name="warning" />} title={t('tlsFailed')} role="note">
      <Text>
        {t('tlsFailedCounts', {
          domains: say(failures.domains),
          sessions: say(failures.sessions),
          held: say(failures.held),
        })}
      </Text>
    </Alert>
  )
}
