/**
 * The page shows how many recipients the plan allows a month, how many are left, and until when.
 */
import { bounceRateMax, complaintRateMax } from 'virtual:contract'
import { Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { Loaded } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { PaperSection } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { SettingFacts } from './SettingFacts.tsx'

type Account = Got<'getAccount'>

export function PlanPage() {
  const { t } = useTranslation('settings')
  const read = useAsk('getAccount', {}, { poll: 30_000 })
  return (
    <Page title={t('plan')} about={t('planAbout')}>
      <Loaded of={read} height={220}>
        {(account) => (
          <Stack gap="lg">
            <Quota account={account} />
            <Sending account={account} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Quota({ account: { plan, quota } }: { account: Account }) {
  const { t, i18n } = useTranslation('settings')
  const number = (value: number): string => value.toLocaleString(i18n.language)
  const { limit, used, remaining } = quota
  const share = limit === null ? 0 : limit === 0 ? 100 : Math.min(100, (used / limit) * 100)
  const tone = share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'facteur'
  return (
    <PaperSection title={t('planNamed', { name: plan.name })} size="h2" gap="md">
      {limit !== null && (
        <Progress.Root size="lg" aria-hidden>
          <Progress.Section value={share} color={tone} />
        </Progress.Root>
      )}
      <Text size="md">
        {limit === null
          ? t('quotaOpen', { count: used, used: number(used) })
          : t('quotaUsed', { count: limit, used: number(used), limit: number(limit) })}
      </Text>
      {quota.workspaces > 1 && (
        <Text size="md">{t('quotaShared', { count: quota.workspaces - 1 })}</Text>
      )}
      {remaining === 0 && <Status tone="bad">{t('quotaGone')}</Status>}
      <SettingFacts
        facts={[
          { name: t('remaining'), value: remaining === null ? t('noLimit') : number(remaining) },
          { name: t('beginsAnew'), value: <Moment at={quota.resets_at} exact /> },
        ]}
      />
      <Text c="dimmed" maw="70ch">
        {t('quotaWhat')}
      </Text>
    </PaperSection>
  )
}

function Sending({ account: { sending, subscribers } }: { account: Account }) {
  const { t, i18n } = useTranslation('settings')
  const percent = (value: number): string =>
    value.toLocaleString(i18n.language, { style: 'percent', maximumFractionDigits: 2 })
  return (
    <PaperSection title={t('sendingTitle')} size="h2" gap="md">
      <SettingFacts
        facts={[
          {
            name: t('state'),
            value: (
              <Status tone={sending.status === 'active' ? 'good' : 'bad'}>
                {sending.status === 'active' ? t('sendingActive') : t('sendingSuspended')}
              </Status>
            ),
          },
          {
            name: t('bounceRate'),
            value: t('ofMost', {
              rate: percent(sending.bounce_rate),
              max: percent(bounceRateMax),
            }),
          },
          {
            name: t('complaintRate'),
            value: t('ofMost', {
              rate: percent(sending.complaint_rate),
              max: percent(complaintRateMax),
            }),
          },
          { name: t('peopleSubscribed'), value: subscribers.toLocaleString(i18n.language) },
        ]}
      />
      <Text c="dimmed" maw="70ch">
        {t('sendingWhat')}
      </Text>
    </PaperSection>
  )
}
