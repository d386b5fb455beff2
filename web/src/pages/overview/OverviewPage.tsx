/**
 * The overview shows the outcomes of sent mail, whether the workspace may send, its remaining
 * quota, and the first steps.
 */
import { Alert, Grid, Group, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { DaysCard } from './DaysCard.tsx'
import { DiskCard } from './DiskCard.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { type Overview, sayCount } from './overview.ts'
import { QuotaCard, SendingCard } from './limit-cards.tsx'
import { Suspended } from './Suspended.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { PageLink } from '../../parts/links.tsx'

const FirstMail = lazy(() => import('./FirstMail.tsx'))

/** The page polls faster while the service still counts days. */
const pollOf = (last: unknown): number =>
  (last as Overview | undefined)?.days.some(({ counts }) => counts === null) ? 1_000 : 20_000

export function OverviewPage() {
  const { t } = useTranslation('overview')
  const overview = useAsk('getOverview', undefined, { poll: pollOf })
  return (
    <Page title={t('title')}>
      <Loaded of={overview} waiting={<Waiting />}>
        {(data) => <Content overview={data} />}
      </Loaded>
    </Page>
  )
}

function Content({ overview }: { overview: Overview }) {
  const mayEdit = useMay('editor')
  // What was sent here goes on to its outcome while the user stays on the page.
  const [isNew] = useState(!overview.steps.email)
  return (
    <Stack gap="md">
      <Suspended sending={overview.sending} />
      {overview.held && <WithheldNotice held={overview.held} />}
      {overview.copy_share !== null && <CopyNotice share={overview.copy_share} />}
      {overview.backup_failed !== null && <BackupNotice since={overview.backup_failed} />}
      {overview.tls_failures && <TlsNotice failures={overview.tls_failures} />}
      {isNew && mayEdit && (
        <Suspense fallback={<Skeleton height={300} radius="lg" />}>
          <FirstMail overview={overview} />
        </Suspense>
      )}
      <FirstSteps steps={overview.steps} />
      {overview.throttled && <ThrottledNotice throttled={overview.throttled} />}
      {overview.captures && <CapturesNotice />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="md">
            <DaysCard days={overview.days} />
            {overview.disk && <DiskCard disk={overview.disk} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <SendingCard sending={overview.sending} />
            <QuotaCard quota={overview.quota} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function Waiting() {
  const { t } = useTranslation('shell')
  return (
    <Grid gap="md" aria-busy role="status" aria-label={t('loading')}>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Skeleton height={380} radius="lg" />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Skeleton height={380} radius="lg" />
      </Grid.Col>
    </Grid>
  )
}

/** The capture mailbox takes all mail. */
function CapturesNotice() {
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

/** After a restore from a backup. */
function WithheldNotice({ held: withheld }: { held: NonNullable<Overview['held']> }) {
  const { t, i18n } = useTranslation('overview')
  const say = (count: number): string => sayCount(count, i18n.language)
  return (
    <Alert color="yellow" icon={<Icon name="pause" />} title={t('restored')} role="note">
      <Text>{t('restoredWhy')}</Text>
      <Text>
        {t('restoredCounts', {
          mails: say(withheld.mails),
          campaigns: say(withheld.campaigns),
          others: say(withheld.others),
        })}
      </Text>
    </Alert>
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

/** The provider asked for a slower pace. */
function ThrottledNotice({ throttled }: { throttled: NonNullable<Overview['throttled']> }) {
  const { t, i18n } = useTranslation('overview')
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'medium' }).format(
    new Date(throttled.until),
  )
  const pace = throttled.per_second
  return (
    <Alert variant="default" icon={<Icon name="warning" />} title={t('throttled')} role="note">
      <Text>
        {t('throttledWhy', { time })}
        {pace !== null &&
          ` ${t('throttledPace', { pace: sayCount(Math.round(pace), i18n.language) })}`}
      </Text>
    </Alert>
  )
}
