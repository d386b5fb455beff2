/** One message: what became of it for each recipient, what it says, and whom it made us tell. */
import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf } from '../../api/client.ts'
import type { Got } from '../../api/client.ts'
import { useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { AnchorButton, PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { EmailContent } from './EmailContent.tsx'
import { EmailDeliveries } from './EmailDeliveries.tsx'
import classes from './Emails.module.css'
import { RecipientStory } from './RecipientStory.tsx'
import { SendAgain } from './SendAgain.tsx'
import { eventWords } from './words.ts'

type Message = Got<'getMessage'>

export function EmailPage(): ReactNode {
  const { t } = useTranslation('emails')
  const { id = '' } = useParams({ strict: false })
  const { data, error, isPending, refetch } = useAsk('getMessage', { params: { id } }, { poll: 5_000 })
  if (data) return <Shown key={data.id} message={data} />
  return (
    <Page title={t('message')} back={{ to: 'emails', label: t('title') }}>
      {isPending && <Skeleton height={200} role="status" aria-label={t('loading')} />}
      <Failure error={error} retry={() => void refetch()} />
    </Page>
  )
}

function Shown({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const { tone, key } = eventWords[message.last_event]
  return (
    <Page
      title={message.subject || t('noSubject')}
      beside={<Status tone={tone}>{t(key)}</Status>}
      back={{ to: 'emails', label: t('title') }}
      actions={
        <>
          <AnchorButton
            href={addressOf('getMessageRaw', { params: { id: message.id } })}
            variant="default"
            leftSection={<Icon name="download" size={16} />}
          >
            {t('keepRaw')}
          </AnchorButton>
          {mayEdit && message.can_send_again && <SendAgain message={message} />}
        </>
      }
    >
      <Facts message={message} />
      <Stack component="section" gap="md" aria-labelledby="mail-recipients">
        <Title order={2} size="h3" id="mail-recipients">
          {t('whatBecame')}
        </Title>
        {message.recipients.map((recipient) => (
          <RecipientStory key={recipient.position} recipient={recipient} only={message.recipients.length === 1} />
        ))}
        {message.kind === 'campaign' && message.campaign && (
          <Text size="sm" c="dimmed">
            {t('campaignAgain')}{' '}
            <PageLink to={`campaigns/${message.campaign.id}`}>
              <bdi>{message.campaign.name}</bdi>
            </PageLink>
          </Text>
        )}
      </Stack>
      <EmailContent message={message} />
      <EmailDeliveries id={message.id} />
    </Page>
  )
}

function Facts({ message }: { message: Message }): ReactNode {
  const { t } = useTranslation('emails')
  const names = (list: string[]): ReactNode => (
    <span className={classes.names}>
      <bdi>
        <Addressed>{list.join(', ')}</Addressed>
      </bdi>
    </span>
  )
  const facts: [string, ReactNode][] = [
    [t('from'), names([message.from])],
    ...(message.reply_to.length > 0 ? [[t('replyTo'), names(message.reply_to)] satisfies [string, ReactNode]] : []),
    [t('accepted'), <Moment key="at" at={message.created_at} exact />],
    ...(message.scheduled_at
      ? [[t('scheduledFor'), <Moment key="for" at={message.scheduled_at} exact />] satisfies [string, ReactNode]]
      : []),
    ...(message.campaign
      ? [
          [
            t('campaign'),
            <PageLink key="campaign" to={`campaigns/${message.campaign.id}`} size="sm">
              <bdi>{message.campaign.name}</bdi>
            </PageLink>,
          ] satisfies [string, ReactNode],
        ]
      : []),
    ...(message.subscriber_id
      ? [
          [
            t('person'),
            <PageLink key="person" to={`subscribers/${message.subscriber_id}`} size="sm">
              <bdi>
                <Addressed>{message.to[0] ?? ''}</Addressed>
              </bdi>
            </PageLink>,
          ] satisfies [string, ReactNode],
        ]
      : []),
    [t('messageId'), names([message.message_id])],
  ]
  const tags = Object.entries(message.tags ?? {})
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {facts.map(([label, fact]) => (
          <div key={label}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text size="sm" component="div">
              {fact}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {tags.length > 0 && (
        <Group gap="xs" role="group" aria-label={t('tags')}>
          {tags.map(([name, value]) => (
            <PageLink key={name} to="emails" search={{ tag: `${name}:${value}` }} size="sm">
              {name}: {value}
            </PageLink>
          ))}
        </Group>
      )}
    </Stack>
  )
}
