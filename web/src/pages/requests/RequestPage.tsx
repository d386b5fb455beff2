/** The page shows owners one call whole, with links to what it made. */
import { Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAsk } from '../../api/use-ask.ts'
import { Copyable, CopyField } from '../../parts/CopyField.tsx'
import { FactGrid } from '../../parts/FactGrid.tsx'
import { ForOwners } from '../../parts/ForOwners.tsx'
import { PageLink } from '../../parts/links.tsx'
import { LoadedPage } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { NotFound } from '../../parts/NotFound.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { nameRequest, sayDuration, toneOfStatus, type RequestLine } from './words.ts'

export function RequestPage() {
  const { t } = useTranslation('requests')
  return (
    <ForOwners otherwise={t('ownersRead')}>
      <Known />
    </ForOwners>
  )
}

function Known() {
  const { t } = useTranslation('requests')
  const { id = '' } = useParams({ strict: false })
  const read = useAsk('listRequests', { query: { id } })
  const back = { to: 'settings/requests', label: t('title') }
  return (
    <LoadedPage of={read} title={t('request')} back={back}>
      {({ data: [request] }) =>
        request ? (
          <Page title={nameRequest(request, t)} back={back}>
            <Facts request={request} />
          </Page>
        ) : (
          <NotFound />
        )
      }
    </LoadedPage>
  )
}

function Facts({ request }: { request: RequestLine }) {
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
      <PageLink key="key" to="settings/requests" search={{ key: key.id }}>
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
      <FactGrid facts={facts.filter(([, fact]) => Boolean(fact))} />
      <Text c="dimmed">{t('noContent')}</Text>
    </Stack>
  )
}

function Messages({ ids }: { ids: string[] }) {
  return (
    <Stack gap={4}>
      {ids.map((id) => (
        <Copyable key={id} value={id} label={id}>
          <PageLink to={`emails/${id}`} size="sm" ff="monospace">
            {id}
          </PageLink>
        </Copyable>
      ))}
    </Stack>
  )
}

function CampaignLink({ id }: { id: string }) {
  return (
    <Copyable value={id} label={id}>
      <PageLink to={`campaigns/${id}`} size="sm" ff="monospace">
        {id}
      </PageLink>
    </Copyable>
  )
}
