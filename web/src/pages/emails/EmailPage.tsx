/**
 * The page shows one message: each recipient's timeline, the content, and the webhooks that
 * received its events.
 */
import { Group, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { addressOf, type Got } from '../../api/client.ts'
import { useAct, useAsk, useList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { FactGrid } from '../../parts/FactGrid.tsx'
import { DownloadButton, PageLink } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { MailContent } from '../../parts/MailContent.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { isScheduled } from './EmailsBar.tsx'
import { EmailDeliveries } from './EmailDeliveries.tsx'
import classes from './Emails.module.css'
import { RecipientStory } from './RecipientStory.tsx'
import { SendAgain } from './SendAgain.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'

type Message = Got<'getMessage'>

export function EmailPage() {
  const { t } = useTranslation('emails')
  const { id = '' } = useParams({ strict: false })
  const message = useAsk('getMessage', { params: { id } }, { poll: 5_000 })
  const back = { to: 'emails', label: t('title') }
  return (
    <LoadedPage of={message} title={t('message')} back={back} height={200}>
      {(data) => <Shown key={data.id} message={data} back={back} />}
    </LoadedPage>
  )
}

function Shown({ message, back }: { message: Message; back: { to: string; label: string } }) {
  const { t } = useTranslation('emails')
  const mayEdit = useMay('editor')
  const {
    campaign,
    recipients,
    last_event: event,
    content_expired_at: contentExpired,
    details_expired_at: detailsExpired,
  } = message
  return (
    <Page
      title={message.subject || t('noSubject')}
      beside={<StateBadge t={t} prefix="status" state={event} />}
      back={back}
      actions={
        <>
          {contentExpired === null && (
            <DownloadButton href={addressOf('getMessageRaw', { params: { id: message.id } })}>
              {t('keepRaw')}
            </DownloadButton>
          )}
          {mayEdit && isScheduled(message) && <CancelScheduled id={message.id} />}
          {mayEdit && message.can_send_again && <SendAgain message={message} />}
        </>
      }
    >
      <Facts message={message} />
      <Section title={t('whatBecame')} gap="md">
        {recipients.map((recipient) => (
          <RecipientStory
            key={recipient.position}
            recipient={recipient}
            only={recipients.length === 1}
          />
        ))}
        {detailsExpired !== null && (
          <Text c="dimmed">
            {t('detailsExpired')} <Moment at={detailsExpired} exact />
          </Text>
        )}
        {message.kind === 'campaign' && campaign && (
          <Text c="dimmed">
            {t('campaignAgain')} <CampaignLink campaign={campaign} />
          </Text>
        )}
      </Section>
      {contentExpired === null ? (
        <MailContent
          mail={message}
          about={
            message.kind === 'campaign'
              ? t('withoutPersonalLinks')
              : message.dropped_headers.length > 0 &&
                t('headersDropped', { names: message.dropped_headers.join(', ') })
          }
        />
      ) : (
        <Section title={t('content')}>
          <Text c="dimmed">
            {t('contentExpired')} <Moment at={contentExpired} exact />
          </Text>
        </Section>
      )}
      <EmailDeliveries id={message.id} />
    </Page>
  )
}

function CancelScheduled({ id }: { id: string }) {
  const { t } = useTranslation('emails')
  const { mutateAsync } = useAct('cancelEmail', {
    refresh: ['getMessage', 'listMessages', 'countMessages'],
    done: t('cancelledDone', { count: 1 }),
  })
  return (
    <ConfirmButton
      label={t('cancelVerb')}
      title={t('cancelAsk', { count: 1 })}
      keep={t('cancelKeep')}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('cancelWhat')}
    </ConfirmButton>
  )
}

function CampaignLink({ campaign: { id, name } }: { campaign: NonNullable<Message['campaign']> }) {
  return (
    <PageLink to={`campaigns/${id}`} size="sm">
      <bdi>{name}</bdi>
    </PageLink>
  )
}

/** The call that made the message, as far as the log stores it; owners read it. */
function useRequest({ id, kind }: Message): ItemOf<'listRequests'> | undefined {
  const isOwner = useMay('owner')
  return useList(
    'listRequests',
    { query: { message: id } },
    { enabled: isOwner && kind === 'single' },
  ).items.at(-1)
}

function RequestLink({
  request,
  messageId,
}: {
  request: ItemOf<'listRequests'>
  messageId: string
}) {
  return (
    <PageLink to="settings/requests" search={{ message: messageId }} size="sm" ff="monospace">
      {request.request_id}
    </PageLink>
  )
}

function Facts({ message }: { message: Message }) {
  const { t } = useTranslation('emails')
  const { campaign, subscriber_id: subscriberId, scheduled_at: scheduledAt } = message
  const request = useRequest(message)
  const names = (list: string[]): ReactNode => (
    <span className={classes.names}>
      <bdi>
        <Addressed>{list.join(', ')}</Addressed>
      </bdi>
    </span>
  )
  const contact = (
    <PageLink to={`subscribers/${subscriberId}`} size="sm">
      <bdi>
        <Addressed>{message.to[0] ?? ''}</Addressed>
      </bdi>
    </PageLink>
  )
  const facts: [string, ReactNode][] = [
    [t('from'), names([message.from])],
    [t('replyTo'), message.reply_to.length > 0 && names(message.reply_to)],
    [t('accepted'), <Moment key="at" at={message.created_at} exact />],
    [t('scheduledFor'), scheduledAt && <Moment key="for" at={scheduledAt} exact />],
    [t('campaign'), campaign && <CampaignLink key="campaign" campaign={campaign} />],
    [t('person'), subscriberId && contact],
    [t('messageId'), <CopyField key="id" value={message.message_id} label={t('messageId')} wrap />],
    [
      t('apiRequest'),
      request && <RequestLink key="request" request={request} messageId={message.id} />,
    ],
  ]
  const tags = Object.entries(message.tags ?? {})
  return (
    <Stack gap="sm">
      <FactGrid facts={facts.filter(([, fact]) => Boolean(fact))} />
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
