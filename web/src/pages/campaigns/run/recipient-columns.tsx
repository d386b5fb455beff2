/**
 * The columns show each recipient's address, outcome, reason in words and engagement, and lead to
 * the mail.
 */
import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignRecipient } from '../../../../../src/contract/workspace/campaign-recipients.ts'
import { None, type Column } from '../../../parts/Listing.tsx'
import { PageLink } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { sayMeaning } from '../../emails/words.ts'
import { Status, type Tone } from '../../../parts/Status.tsx'
import { UserText } from '../../../parts/UserText.tsx'

const tones: Record<CampaignRecipient['outcome'], Tone> = {
  ...{ pending: 'quiet', in_doubt: 'warning', sent: 'busy', delivered: 'good' },
  ...{
    bounced: 'bad',
    complained: 'bad',
    failed: 'bad',
    cancelled: 'quiet',
    suppressed: 'warning',
  },
}

export function useRecipientColumns(campaignId: string): Column<CampaignRecipient>[] {
  const { t } = useTranslation('run')
  return [
    { header: t('recipient'), cell: (recipient) => <Who recipient={recipient} /> },
    { header: t('outcome'), cell: (recipient) => <Outcome recipient={recipient} /> },
    { header: t('whatTheyDid'), cell: (recipient) => <Did recipient={recipient} /> },
    { header: t('handedOver'), cell: ({ sentAt }) => <Moment at={sentAt} />, wideOnly: true },
    {
      header: t('mail'),
      cell: ({ subscriberId, email, attempts, captured }) =>
        attempts === 0 ? (
          <Text c="dimmed">–</Text>
        ) : (
          <Group gap="sm" wrap="nowrap">
            <PageLink
              to={`emails/${campaignId}.${subscriberId}`}
              aria-label={t('mailTo', { email })}
            >
              {t('toMail')}
            </PageLink>
            {captured !== null && (
              <PageLink to={`captured/${captured}`} aria-label={t('capturedTo', { email })}>
                {t('toCaptured')}
              </PageLink>
            )}
          </Group>
        ),
      short: true,
    },
  ]
}

function Who({ recipient: { subscriberId, email, name } }: { recipient: CampaignRecipient }) {
  const { t } = useTranslation('run')
  if (email === 'erased@invalid')
    return (
      <Text size="md" c="dimmed">
        {t('erased')}
      </Text>
    )
  return (
    <Stack gap={0}>
      <PageLink to={`subscribers/${subscriberId}`}>
        <UserText>{email}</UserText>
      </PageLink>
      {name !== null && <UserText variant="small">{name}</UserText>}
    </Stack>
  )
}

function Outcome({
  recipient: { outcome, reason, nextTryAt, attempts },
}: {
  recipient: CampaignRecipient
}) {
  const { t } = useTranslation('run')
  const { t: tEmails } = useTranslation('emails')
  return (
    <Stack gap={4} align="flex-start">
      <Status tone={tones[outcome]}>{t(`outcome_${outcome}`)}</Status>
      {reason !== null && (
        <Text>
          {/* Statuses of a subscriber and reasons of a suppression, as in the ledger; anything else reads as suppressed. */}
          {reason.kind === 'suppressed'
            ? t(`left_${reason.detail}`, { defaultValue: t('left_other') })
            : t(`reason_${reason.kind}`, { tries: attempts })}
        </Text>
      )}
      {reason?.detail && reason.meaning && <Text>{sayMeaning(reason.meaning, tEmails)}</Text>}
      {nextTryAt !== null && (
        <Text>
          {t('nextTry')} <Moment at={nextTryAt} />
        </Text>
      )}
      {reason?.detail && reason.kind !== 'suppressed' && (
        <UserText variant="small">{reason.detail}</UserText>
      )}
    </Stack>
  )
}

function Did({
  recipient: { openedAt, clickedAt, unsubscribedAt },
}: {
  recipient: CampaignRecipient
}) {
  const { t } = useTranslation('run')
  const did: ['openedAt' | 'clickedAt' | 'unsubscribedAt', string | null][] = [
    ['openedAt', openedAt],
    ['clickedAt', clickedAt],
    ['unsubscribedAt', unsubscribedAt],
  ]
  const known = did.filter(([, at]) => at !== null)
  if (known.length === 0) return <None />
  return (
    <Stack gap={2}>
      {known.map(([what, at]) => (
        <Text key={what}>
          {t(what)} <Moment at={at} />
        </Text>
      ))}
    </Stack>
  )
}
