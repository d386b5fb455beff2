/**
 * The page shows owners what programs asked of the API with the workspace's keys, newest first, and
 * what came of each call.
 */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { isFirstPage, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Code } from '../../parts/Code.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { ForOwners } from '../../parts/ForOwners.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { RequestFilters } from './RequestFilters.tsx'
import { allRequests, useRequestView } from './use-request-view.ts'
import { nameRequest, sayDuration, toneOfStatus, type RequestLine } from './words.ts'

/** With fewer entries than these, the list asks for the next page at once. */
const enough = 25

export function RequestsPage() {
  const { t } = useTranslation('requests')
  const isOwner = useMay('owner')
  return (
    <Page title={t('title')} beside={isOwner && <RequestTotal />} about={t('about')}>
      <ForOwners otherwise={t('ownersRead')}>
        <Requests />
      </ForOwners>
    </Page>
  )
}

function RequestTotal() {
  return <TitleTotal total={useRequestView().total} />
}

function Requests() {
  const { t } = useTranslation('requests')
  const { query, total, counts } = useRequestView()
  const change = useChangeFilters()
  const isFiltered = Object.keys(query).length > 0
  const read = useList(
    'listRequests',
    { query },
    { poll: (last) => (isFirstPage(last) ? 5_000 : false) },
  )
  const isSearching = useSearchFurther(read, enough)
  return (
    <Stack>
      <RequestFilters counts={counts} />
      <Text role="status" c="dimmed" hidden={!isSearching}>
        {isSearching && t('lookingFurther')}
      </Text>
      <Listing
        label={t('title')}
        read={{ ...read, isLoading: read.isLoading || (isSearching && read.items.length === 0) }}
        columns={columnsOf(t)}
        idOf={({ id }) => id}
        linkOf={({ id }) => `settings/requests/${id}`}
        total={total}
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

const columnsOf = (t: TFunction<'requests'>): Column<RequestLine>[] => [
  {
    header: t('operation'),
    cell: (request) => (
      <Group gap="xs">
        <Text span ff="monospace">
          {nameRequest(request, t)}
        </Text>
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
    narrow: 'bare',
  },
  { header: t('key'), cell: ({ key }) => <UserText>{key.name}</UserText>, wideOnly: true },
  {
    header: t('requestId'),
    cell: ({ request_id: id }) => <CopyField value={id} label={t('requestId')} />,
    wideOnly: true,
  },
  { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end', short: true },
]
