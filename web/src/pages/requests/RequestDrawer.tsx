/** The drawer shows one call whole, with links to what it made. */
import { Drawer, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { sayDuration, toneOfStatus, type RequestLine } from './words.ts'

export function RequestDrawer({
  request,
  onClose,
}: {
  request: RequestLine | null
  onClose: () => void
}) {
  const { t } = useTranslation('requests')
  return (
    <Drawer
      opened={request !== null}
      onClose={onClose}
      title={t('request')}
      position="right"
      size="md"
    >
      {request && <Facts request={request} onLeave={onClose} />}
    </Drawer>
  )
}

function Facts({ request, onLeave }: { request: RequestLine; onLeave: () => void }) {
  const { t } = useTranslation('requests')
  const {
    operation,
    mcp,
    status,
    code,
    key,
    calls,
    message_ids: messages,
    campaign_id: campaign,
  } = request
  const facts: [string, ReactNode][] = [
    [t('when'), <Moment key="at" at={request.at} exact />],
    [t('operation'), operation ?? t(mcp ? 'mcpMessage' : 'unknownAddress')],
    [t('by'), mcp ? 'MCP' : 'REST'],
    [
      t('status'),
      <Status
        key="status"
        tone={toneOfStatus(status)}
      >{`${status}${code === null ? '' : ` ${code}`}`}</Status>,
    ],
    [t('duration'), sayDuration(request.duration_ms, t)],
    [
      t('key'),
      <PageLink key="key" to="settings/requests" search={{ key: key.id }} onClick={onLeave}>
        <UserText>{key.name}</UserText>
      </PageLink>,
    ],
    [t('requestId'), <CopyField key="id" value={request.request_id} label={t('requestId')} wrap />],
    [t('address'), request.address],
    [
      t('messages', { count: messages.length }),
      messages.length > 0 && <Messages key="messages" ids={messages} />,
    ],
    [t('campaign'), campaign && <CampaignLink key="campaign" id={campaign} />],
    [t('standsFor'), calls > 1 && `${t('times', { count: calls })} ${t('standsForWhy')}`],
  ]
  return (
    <Stack gap="sm">
      {status === 499 && <Text>{t('callerLeft')}</Text>}
      {facts
        .filter(([, fact]) => Boolean(fact))
        .map(([name, fact]) => (
          <div key={name}>
            <Text c="dimmed">{name}</Text>
            <Text component="div">{fact}</Text>
          </div>
        ))}
      <Text c="dimmed">{t('noContent')}</Text>
    </Stack>
  )
}

function Messages({ ids }: { ids: string[] }) {
  return (
    <Stack gap={4}>
      {ids.map((id) => (
        <PageLink key={id} to={`emails/${id}`} size="sm" ff="monospace">
          {id}
        </PageLink>
      ))}
    </Stack>
  )
}

function CampaignLink({ id }: { id: string }) {
  return (
    <PageLink to={`campaigns/${id}`} size="sm" ff="monospace">
      {id}
    </PageLink>
  )
}
