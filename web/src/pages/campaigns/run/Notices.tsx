/**
 * The notices say why a campaign did not start or stands still, and how many of its mails are in
 * doubt or failed.
 */
import { Alert, Stack, Text } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CampaignRun } from '../../../../../src/contract/workspace/campaign-run.ts'
import { Icon, type IconName } from '../../../parts/Icon.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Remedy } from '../../../parts/RefusalNotice.tsx'
import { sayDay } from '../../../parts/say-time.ts'
import { runStateOf } from './run-state.ts'
import { useFigures } from './use-figures.ts'

export function Notices({ run }: { run: CampaignRun }) {
  const { t, i18n } = useTranslation('run')
  const { count, countedUpTo } = useFigures()
  const {
    campaign,
    notice,
    noticeDay,
    pauseReason,
    pauseRefusal,
    heldUntil,
    now,
    canceledAt,
    cancelled,
    retryable,
    moreRetryable,
    detailsExpiredAt: detailsExpired,
  } = run
  const state = runStateOf(run)
  const { in_doubt: inDoubt } = campaign.progress
  const failed = campaign.progress.failed - cancelled
  return (
    <>
      {notice !== null && (
        <Notice icon="warning" color="yellow" title={t('notStarted')}>
          {t(`notice_${notice}`, {
            day: noticeDay && sayDay(new Date(noticeDay), i18n.language, 'UTC'),
          })}
        </Notice>
      )}
      {state === 'unfinished' && (
        <Notice icon="edit" color="gray" title={t('state_unfinished')}>
          {t('unfinishedWhy')}
        </Notice>
      )}
      {state === 'held' && heldUntil !== null && (
        <Notice icon="clock" color="facteur" title={t('held')}>
          <Countdown now={now} until={heldUntil} />
        </Notice>
      )}
      {state === 'paused' && (
        <Notice
          icon="pause"
          color="yellow"
          title={t(pauseReason === 'person' ? 'pausedByPerson' : 'pausedByItself')}
        >
          {t(`pause_${pauseReason ?? 'person'}`)}
          {pauseRefusal !== null && (
            <Stack gap="xs" mt={6}>
              <Text fw={550}>{pauseRefusal.what}</Text>
              <Remedy refusal={pauseRefusal} />
            </Stack>
          )}
        </Notice>
      )}
      {(state === 'canceling' || state === 'canceled') && (
        <Notice icon="cross" color="gray" title={t('wasCanceled')}>
          <Moment at={canceledAt} exact /> · {t('wasCanceledWhat')}
        </Notice>
      )}
      {inDoubt > 0 && (
        <Notice
          icon="help"
          color="orange"
          title={t(inDoubt === 1 ? 'inDoubtTitleOne' : 'inDoubtTitle', { n: count(inDoubt) })}
        >
          <Text>{t('inDoubtWhat')}</Text>
          <Text mt={6}>{t('inDoubtThen')}</Text>
        </Notice>
      )}
      {detailsExpired !== null && (
        <Notice icon="clock" color="gray" title={t('detailsExpired')}>
          <Moment at={detailsExpired} exact /> · {t('detailsExpiredWhat')}
        </Notice>
      )}
      {campaign.status === 'sent' &&
        failed > 0 &&
        detailsExpired === null &&
        (canceledAt === null || cancelled > 0) && (
          <Notice
            icon="warning"
            color="red"
            title={t(failed === 1 ? 'failedTitleOne' : 'failedTitle', { n: count(failed) })}
          >
            {retryable > 0 || moreRetryable
              ? t('failedRetryable', { count: retryable, n: countedUpTo(retryable, moreRetryable) })
              : t('failedForGood')}
          </Notice>
        )}
    </>
  )
}

function Notice({
  icon,
  color,
  title,
  children,
}: {
  icon: IconName
  color: string
  title: string
  children: ReactNode
}) {
  return (
    <Alert
      icon={<Icon name={icon} />}
      color={color}
      title={title}
      variant="outline"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      {children}
    </Alert>
  )
}

/** Counts the seconds until the first mail leaves, from the time of the service's clock. */
function Countdown({ now, until }: { now: string; until: string }) {
  const { t } = useTranslation('run')
  const [seconds, setSeconds] = useState(() => secondsBetween(now, until))
  useEffect(() => {
    // Each answer of the service corrects the time that is left.
    const atMs = performance.now()
    const timer = setInterval(
      () => setSeconds(secondsBetween(now, until, performance.now() - atMs)),
      250,
    )
    return () => clearInterval(timer)
  }, [now, until])
  return <Text role="timer">{t('heldFor', { seconds })}</Text>
}

const secondsBetween = (now: string, until: string, passedMs = 0): number =>
  Math.max(0, Math.ceil((Date.parse(until) - Date.parse(now) - passedMs) / 1_000))
