/** What fails, slows or waits in the installation, each with the next step. */
import { Alert, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { InstallationState } from '../../../../src/contract/workspace/installation.ts'
import { Icon, type IconName } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayDate } from '../../say-date.ts'

export function InstallationNotices({ state }: { state: InstallationState }) {
  const { t, i18n } = useTranslation('installation')
  const say = (count: number): string => count.toLocaleString(i18n.language)
  const { backup_failed: failedAt, copy_share: share, tls_failures: failures } = state
  const { throttled, withheld } = state
  const isQuiet = withheld === 0 && throttled.length === 0 && share === null
  if (isQuiet && failedAt === null && failures === null)
    return <Text c="dimmed">{t('nothingToDo')}</Text>
  return (
    <>
      {failedAt !== null && (
        <Notice color="red" icon="warning" title={t('backupFailed')}>
          {t('backupFailedWhy')} <Moment at={failedAt} exact />
        </Notice>
      )}
      {withheld > 0 && (
        <Notice color="yellow" icon="pause" title={t('withheld', { count: withheld })}>
          {t('withheldWhy')}
        </Notice>
      )}
      {throttled.map(({ provider, until, per_second: pace }) => (
        <Notice key={provider} color="yellow" icon="clock" title={t('throttled', { provider })}>
          {t(pace === null ? 'throttledWhy' : 'throttledPaced', {
            time: sayDate(new Date(until), i18n.language, { timeStyle: 'medium' }),
            pace: pace && say(Math.round(pace)),
          })}
        </Notice>
      ))}
      {share !== null && (
        <Notice icon="clock" title={t('copying')}>
          {t('copyingWhy', { done: share.toLocaleString(i18n.language, { style: 'percent' }) })}
        </Notice>
      )}
      {failures !== null && (
        <Notice icon="warning" title={t('tlsFailed')}>
          {t('tlsFailedCounts', {
            domains: say(failures.domains),
            sessions: say(failures.sessions),
            held: say(failures.held),
          })}
        </Notice>
      )}
    </>
  )
}

interface NoticeProps {
  color?: string
  icon: IconName
  title: string
  children: ReactNode
}

const Notice = ({ icon, children, ...alert }: NoticeProps) => (
  <Alert icon={<Icon name={icon} />} role="note" {...alert}>
    <Text>{children}</Text>
  </Alert>
)
