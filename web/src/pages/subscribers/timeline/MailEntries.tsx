/** A mail to the contact with its outcome, and an open or click of one. */
import { Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type {
  ContactEngagement,
  ContactMail,
} from '../../../../../src/contract/workspace/contacts.ts'
import { keyOf } from '../../../parts/key-of.ts'
import { PageLink } from '../../../parts/links.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { toneOf } from '../../../parts/StateBadge.tsx'
import { Status } from '../../../parts/Status.tsx'
import { UserText } from '../../../parts/UserText.tsx'

export function MailEntry({ mail }: { mail: ContactMail }) {
  const { t } = useTranslation('subscribers')
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
        <Subject mail={mail} />
        <Text size="xs" c="dimmed">
          {t(keyOf('kind', mail.kind))}
          {' · '}
          <Moment at={mail.at} exact />
        </Text>
      </div>
      <Outcome mail={mail} />
    </Group>
  )
}

function Subject({ mail: { kind, id, name, subject } }: { mail: ContactMail }) {
  const { t } = useTranslation('subscribers')
  return (
    <div>
      <PageLink to={kind === 'campaign' ? `campaigns/${id}` : `emails/${id}`} fw={550} size="sm">
        <UserText>{subject || name || t('noSubject')}</UserText>
      </PageLink>
      {name !== null && name !== subject && <UserText variant="small">{name}</UserText>}
    </div>
  )
}

/** The state, the reason of a failure, and the opens and clicks that followed. */
function Outcome({ mail }: { mail: ContactMail }) {
  const { t } = useTranslation('subscribers')
  const { error, response, opened_at: opened, clicked_at: clicked, unsubscribed_at: left } = mail
  // A mail that a user cancelled before its turn did not fail.
  const status = mail.status === 'failed' && error === 'cancelled' ? 'canceled' : mail.status
  const after = [
    clicked !== null && t('wasClicked'),
    opened !== null && clicked === null && t('wasOpened'),
    left !== null && t('wasLeft'),
  ]
  return (
    <Stack gap={2} align="flex-start">
      <Status tone={status === 'suppressed' ? 'quiet' : toneOf(status)}>
        {t(keyOf('mail', status), { defaultValue: status })}
      </Status>
      {after.filter(Boolean).map((words) => (
        <Text size="xs" key={String(words)}>
          {words}
        </Text>
      ))}
      {status !== 'canceled' &&
        (error ?? (toneOf(status) === 'bad' ? response : null)) !== null && (
          <UserText variant="small">{error ?? response ?? ''}</UserText>
        )}
    </Stack>
  )
}

export function EngagementEntry({
  engagement: { kind, url, visitor, at, subject, user_agent: agent },
}: {
  engagement: ContactEngagement
}) {
  const { t } = useTranslation('subscribers')
  return (
    <>
      <Text component="div">
        <strong>{t(kind === 'click' ? 'engagementClick' : 'engagementOpen')}</strong>{' '}
        {visitor !== 'person' && `(${t(keyOf('visitor', visitor))})`}
        {' · '}
        <Moment at={at} exact />
      </Text>
      <UserText variant="small">{subject || t('noSubject')}</UserText>
      {url !== null && <UserText variant="small">{url}</UserText>}
      {agent !== '' && <UserText variant="small">{agent}</UserText>}
    </>
  )
}
