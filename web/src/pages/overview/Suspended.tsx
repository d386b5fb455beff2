/** The alert explains why sending is suspended and how it goes on; otherwise it shows nothing. */
import { Alert, Group, List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { sayDay } from '../../parts/say-time.ts'
import { sayCount, sayShare, type Overview } from './overview.ts'

export function Suspended({ sending }: { sending: Overview['sending'] }) {
  const { t, i18n } = useTranslation('overview')
  if (sending.status === 'active') return null
  const handOffs = sayCount(sending.hand_offs, i18n.language)
  const causes = [
    {
      ...{
        key: 'Bounces' as const,
        status: 'bounced',
        count: sending.bounces,
        rate: sending.bounce_rate,
        max: sending.bounce_rate_max,
      },
      min: sending.bounces_min,
    },
    {
      ...{
        key: 'Complaints' as const,
        status: 'complained',
        count: sending.complaints,
        rate: sending.complaint_rate,
      },
      ...{ max: sending.complaint_rate_max, min: sending.complaints_min },
    },
  ].filter(({ count, rate, max, min }) => rate > max && count >= min)
  const gmail = sending.suspended_by === 'gmail_spam_rate' ? sending.gmail : null
  const dayOf = (at: string): string => sayDay(new Date(at), i18n.language, 'UTC')
  return (
    <Alert
      color="red"
      icon={<Icon name="warning" />}
      title={t('suspendedTitle')}
      role="region"
      aria-label={t('suspendedTitle')}
    >
      <Stack gap="xs">
        {causes.map(({ key, count, rate, max }) => (
          <Text key={key}>
            {t(`suspendedBy${key}`, {
              handOffs,
              count: sayCount(count, i18n.language),
              rate: sayShare(rate, i18n.language),
              max: sayShare(max, i18n.language),
            })}
          </Text>
        ))}
        {gmail && (
          <Text>
            {t('suspendedByGmail', {
              ...{ domain: gmail.domain, day: dayOf(gmail.day) },
              rate: sayShare(gmail.spam_rate, i18n.language),
              max: sayShare(sending.gmail_spam_rate_max, i18n.language),
            })}
          </Text>
        )}
        <Text>{t('suspendedMeans')}</Text>
        <Text fw={600}>{t('wayOut')}</Text>
        <List size="sm">
          {causes.map(({ key }) => (
            <List.Item key={key}>{t(`wayOut${key}`)}</List.Item>
          ))}
          {gmail && <List.Item>{t('wayOutGmail')}</List.Item>}
          <List.Item>
            {gmail ? t('wayOutGmailWait', { until: dayOf(gmail.until) }) : t('wayOutWait')}
          </List.Item>
        </List>
        <Group gap="md">
          {causes.map(({ status, key }) => (
            <PageLink
              key={key}
              to="emails"
              search={{ status }}
              size="sm"
              c="inherit"
              td="underline"
            >
              {status === 'bounced' ? t('seeBounced') : t('seeComplained')}
            </PageLink>
          ))}
          {sending.suspended_since !== null && (
            <Text>
              {t('suspendedSince')} <Moment at={sending.suspended_since} exact />
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
