/** The cards show the rates at which the service suspends sending, and the quota of the month. */
import { Group, Progress, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PaperSection } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Overview, sayCount, sayShare, sayShareBelow } from './overview.ts'
import { sayDay } from '../../parts/say-time.ts'
import type { ReactNode } from 'react'

/** The others are on the pages of their domains. */
const domainsShown = 3

export function SendingCard({ sending }: { sending: Overview['sending'] }) {
  const { t, i18n } = useTranslation('overview')
  const isActive = sending.status === 'active'
  const rates = [
    {
      label: t('bounceRate'),
      rate: sending.bounce_rate,
      max: sending.bounce_rate_max,
      part: sending.bounces,
    },
    {
      label: t('complaintRate'),
      rate: sending.complaint_rate,
      max: sending.complaint_rate_max,
      part: sending.complaints,
    },
  ]
  return (
    <PaperSection
      title={t('sending')}
      size="h2"
      gap="md"
      beside={
        <Status tone={isActive ? 'good' : 'bad'}>{isActive ? t('active') : t('suspended')}</Status>
      }
    >
      {rates.map(({ label, rate, max, part }) => (
        <Meter
          key={label}
          label={label}
          value={sayShareBelow(rate, max, i18n.language)}
          beside={t('ofAtMost', { max: sayShare(max, i18n.language) })}
          share={rate / max}
          below={t('rateOf', {
            count: sending.hand_offs,
            part: sayCount(part, i18n.language),
            whole: sayCount(sending.hand_offs, i18n.language),
          })}
        />
      ))}
      {sending.gmail_rates.slice(0, domainsShown).map(({ domain, day, spam_rate: rate }) => (
        <Meter
          key={domain}
          label={t('gmailSpamRate')}
          value={sayShareBelow(rate, sending.gmail_spam_rate_max, i18n.language)}
          beside={t('ofAtMost', { max: sayShare(sending.gmail_spam_rate_max, i18n.language) })}
          share={rate / sending.gmail_spam_rate_max}
          below={t('gmailRateOf', { domain, day: sayDay(new Date(day), i18n.language, 'UTC') })}
        />
      ))}
      {sending.hand_offs < sending.hand_offs_min && (
        <Text size="xs" c="dimmed">
          {t('belowFloor', { floor: sayCount(sending.hand_offs_min, i18n.language) })}
        </Text>
      )}
    </PaperSection>
  )
}

/** The card shows how much of the month's quota is left. */
export function QuotaCard({ quota }: { quota: Overview['quota'] }) {
  const { t, i18n } = useTranslation('overview')
  const say = (count: number): string => sayCount(count, i18n.language)
  const { limit, used, remaining } = quota
  const date = sayDay(new Date(quota.resets_at), i18n.language, 'UTC')
  return (
    <PaperSection title={t('quota')} size="h2" gap="md">
      {limit === null || remaining === null ? (
        <Text>{t('quotaNone', { used: say(used) })}</Text>
      ) : (
        <Meter
          label={t('quotaLeft', { count: remaining })}
          value={say(used)}
          beside={`/ ${say(limit)}`}
          share={limit === 0 ? 1 : used / limit}
          below={remaining === 0 ? t('quotaEmpty') : undefined}
        />
      )}
      {quota.workspaces > 1 && <Text>{t('quotaShared', { count: quota.workspaces - 1 })}</Text>}
      <Text size="xs" c="dimmed">
        {t('resets', { date })} · {t('plan', { plan: quota.plan })}
      </Text>
    </PaperSection>
  )
}

interface MeterProps {
  label: string
  value: string
  beside: string
  /** The share of the limit: 1 has reached it. */
  share: number
  below?: ReactNode
}

/** Shows a number against its limit, in words and as a bar that is full at the limit. */
function Meter({ label, value, beside, share, below }: MeterProps) {
  const colour =
    share >= 1
      ? 'var(--outcome-bounced)'
      : share >= 0.7
        ? 'var(--outcome-complained)'
        : 'var(--mantine-primary-color-filled)'
  return (
    <Stack gap={5}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text>{label}</Text>
        <Text>
          <b>{value}</b>{' '}
          <Text span c="dimmed" size="xs">
            {beside}
          </Text>
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.min(100, share * 100)}
          color={colour}
          aria-label={label}
          aria-valuetext={`${value} ${beside}`}
        />
      </Progress.Root>
      {below && (
        <Text size="xs" c="dimmed">
          {below}
        </Text>
      )}
    </Stack>
  )
}
