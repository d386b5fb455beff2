/**
 * The page shows owners what programs asked of the API with the workspace's keys, newest first, and
 * what came of each call.
 */
import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useList } from '../../api/use-ask.ts'
import { Code } from '../../parts/Code.tsx'
import { ForOwners } from '../../parts/ForOwners.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { RequestDrawer } from './RequestDrawer.tsx'
import { RequestFilters, allRequests, useRequestFilter } from './RequestFilters.tsx'
import { sayDuration, toneOfStatus, type RequestLine } from './words.ts'

/** With fewer entries than these, the list asks for the next page at once. */
const enough = 25

export function RequestsPage() {
  const { t } = useTranslation('requests')
  return (
    <Page title={t('title')} about={t('about')}>
      <ForOwners otherwise={t('ownersRead')}>
        <Requests />
      </ForOwners>
    </Page>
  )
}

function Requests() {
  const { t } = useTranslation('requests')
  const query = useRequestFilter()
  const change = useChangeFilters()
  const [opened, setOpened] = useState<RequestLine | null>(null)
  const isFiltered = Object.keys(query).length > 0
  const read = useList(
    'listRequests',
    { query },
    { poll: (last) => (isFirstPage(last) ? 5_000 : false) },
  )
  const isSearching = useSearchFurther(read, enough)
  return (
    <Stack>
      <RequestFilters />
      <Text role="status" c="dimmed" hidden={!isSearching}>
        {isSearching && t('lookingFurther')}
      </Text>
      <Listing
        label={t('title')}
        read={{ ...read, isLoading: read.isLoading || (isSearching && read.items.length === 0) }}
        columns={columnsOf(t, setOpened)}
        idOf={({ id }) => id}
        empty={
          isFiltered
            ? {
                icon: 'filter',
                title: t('noMatch'),
                clear: { label: t('clearFilters'), onClick: () => change(allRequests) },
                why: t('noMatchWhy'),
              }
            : { icon: 'keys', title: t('none'), why: <FirstCall /> }
        }
      />
      <RequestDrawer request={opened} onClose={() => setOpened(null)} />
    </Stack>
  )
}

/** The shortest call changes nothing, and shows that the key works. */
function FirstCall() {
  const { t } = useTranslation('requests')
  return (
    <Stack gap="xs" ta="start">
      {t('noneWhy')}
      <Code label={t('exampleCall')}>
        {`curl ${window.location.origin}/api/v1/me \\\n  -H "Authorization: Bearer ${t('yourKey')}"`}
      </Code>
    </Stack>
  )
}

const columnsOf = (
  t: TFunction<'requests'>,
  open: (request: RequestLine) => void,
): Column<RequestLine>[] => [
  {
    header: t('operation'),
    cell: (request) => (
      <Group gap="xs">
        <Anchor component="button" type="button" ff="monospace" onClick={() => open(request)}>
          {request.operation ?? t(request.mcp ? 'mcpMessage' : 'unknownAddress')}
        </Anchor>
        {request.mcp && (
          <Badge variant="default" tt="none">
            MCP
          </Badge>
        )}
        {request.calls > 1 && (
          <Badge variant="default" tt="none" title={t('standsForWhy')}>
            {t('times', { count: request.calls })}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    header: t('status'),
    cell: ({ status, code }) => (
      <Group gap="xs">
        <Status tone={toneOfStatus(status)}>{status}</Status>
        {code !== null && (
          <Text span size="sm" ff="monospace">
            {code}
          </Text>
        )}
      </Group>
    ),
  },
  {
    header: t('duration'),
    cell: ({ duration_ms: ms }) => sayDuration(ms, t),
    align: 'end',
    short: true,
  },
  { header: t('key'), cell: ({ key }) => <UserText>{key.name}</UserText>, wideOnly: true },
  {
    header: t('requestId'),
    cell: ({ request_id: id }) => (
      <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {id}
      </Text>
    ),
    wideOnly: true,
  },
  { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end', short: true },
]
