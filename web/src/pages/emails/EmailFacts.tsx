/** The facts of a message: addresses and ids to copy, its times, its tags, and the call that made it. */
import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useMay } from '../../api/use-role.ts'
import { useList, type ItemOf } from '../../api/use-ask.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { CopyButton } from '../../parts/CopyField.tsx'
import { FactGrid } from '../../parts/FactGrid.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import classes from './Emails.module.css'

type Message = Got<'getMessage'>

export function EmailFacts({ message }: { message: Message }) {
  const { t } = useTranslation('emails')
  const { campaign, subscriber_id: subscriberId, scheduled_at: scheduledAt } = message
  const request = useRequest(message)
  const contact = (
    <PageLink to={`subscribers/${subscriberId}`} size="sm">
      <bdi>
        <Addressed>{message.to[0] ?? ''}</Addressed>
      </bdi>
    </PageLink>
  )
  const tags = Object.entries(message.tags ?? {})
  const facts: [string, ReactNode][] = [
    [t('from'), <Copied key="from" text={message.from} label={t('from')} />],
    [
      t('replyTo'),
      message.reply_to.length > 0 && (
        <Copied key="reply" text={message.reply_to.join(', ')} label={t('replyTo')} />
      ),
    ],
    [t('accepted'), <Moment key="at" at={message.created_at} exact="seconds" />],
    [t('scheduledFor'), scheduledAt && <Moment key="for" at={scheduledAt} exact />],
    [t('campaign'), campaign && <CampaignLink key="campaign" campaign={campaign} />],
    [t('person'), subscriberId && contact],
    [t('emailId'), <Copied key="own" text={message.id} label={t('emailId')} />],
    [t('messageId'), <Copied key="id" text={message.message_id} label={t('messageId')} />],
    [
      t('apiRequest'),
      request && <RequestLink key="request" request={request} messageId={message.id} />,
    ],
    [t('tags'), tags.length > 0 && <Tags key="tags" tags={tags} />],
  ]
  return <FactGrid facts={facts.filter(([, fact]) => Boolean(fact))} />
}

function Tags({ tags }: { tags: readonly [name: string, value: string][] }) {
  const { t } = useTranslation('emails')
  return (
    <Group gap="xs" role="group" aria-label={t('tags')}>
      {tags.map(([name, value]) => (
        <PageLink key={name} to="emails" search={{ tag: `${name}:${value}` }} size="sm">
          {name}: {value}
        </PageLink>
      ))}
    </Group>
  )
}

/** Addresses with a button that copies them. */
function Copied({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className={classes.names}>
        <bdi>
          <Addressed>{text}</Addressed>
        </bdi>
      </span>
      <CopyButton value={text} label={label} />
    </Group>
  )
}

export function CampaignLink({
  campaign: { id, name },
}: {
  campaign: NonNullable<Message['campaign']>
}) {
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
  const { t } = useTranslation('emails')
  return (
    <Group gap={4} wrap="nowrap">
      <PageLink to="settings/requests" search={{ message: messageId }} size="sm" ff="monospace">
        {request.request_id}
      </PageLink>
      <CopyButton value={request.request_id} label={t('apiRequest')} />
    </Group>
  )
}
