/**
 * The page shows owners who did what in the workspace, newest first, and filters by
 * act, user and day.
 */
import { Stack, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ForOwners } from '../../parts/ForOwners.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useChangeFilters } from '../../parts/use-filter.ts'
import { useSearchFurther } from '../../parts/use-search-further.ts'
import { keyOf } from '../../parts/key-of.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { noAuditFilter, useAuditView } from './use-audit-view.ts'
import { leadOf, describeDetails, describeSubject, type AuditLogEntry } from './describe-entry.ts'

/** With fewer entries than these, the list asks for the next page at once. */
const enough = 25

export function AuditPage() {
  const { t } = useTranslation('users')
  const isOwner = useMay('owner')
  return (
    <Page title={t('audit')} beside={isOwner && <AuditTotal />} about={t('auditAbout')}>
      <ForOwners otherwise={t('ownersReadAudit')}>
        <Entries />
      </ForOwners>
    </Page>
  )
}

function AuditTotal() {
  return <TitleTotal total={useAuditView().total} />
}

function Entries() {
  const { t } = useTranslation('users')
  const { query, total } = useAuditView()
  const change = useChangeFilters()
  const entries = useList('listAudit', { query })
  const isSearching = useSearchFurther(entries, enough)
  const isFiltered = Object.keys(query).length > 0
  const clear = { label: t('clearFilters'), onClick: () => change(noAuditFilter) }
  return (
    <Stack>
      <AuditFilters query={query} />
      <Text role="status" c="dimmed" hidden={!isSearching}>
        {isSearching && t('lookingFurther')}
      </Text>
      <Listing
        label={t('audit')}
        read={{
          ...entries,
          isLoading: entries.isLoading || (isSearching && entries.items.length === 0),
        }}
        total={total}
        idOf={({ id }) => id}
        empty={{
          icon: isFiltered ? 'filter' : 'clock',
          title: t(isFiltered ? 'noAuditMatch' : 'noAudit'),
          clear: isFiltered ? clear : undefined,
          why: !isFiltered && t('noAuditWhy'),
        }}
        columns={columnsOf(t)}
      />
    </Stack>
  )
}

const columnsOf = (t: TFunction<'users'>): Column<AuditLogEntry>[] => [
  { header: t('what'), width: '26%', cell: ({ act }) => t(keyOf('act', act)) },
  { header: t('subject'), narrow: 'bare', cell: (entry) => <Subject entry={entry} /> },
  { header: t('who'), narrow: 'bare', width: '26%', cell: (entry) => <Who entry={entry} /> },
  { header: t('when'), cell: ({ at }) => <Moment at={at} />, align: 'end' },
]

function Who({ entry: { who, ip } }: { entry: AuditLogEntry }) {
  const { t } = useTranslation('users')
  return (
    <Stack gap={0}>
      <UserText>
        {who === 'command line'
          ? t('commandLine')
          : who === 'contact'
            ? t('contactThemself')
            : who.startsWith('key ')
              ? t('byKey', { name: who.slice(4) })
              : who}
      </UserText>
      {ip !== null && <UserText variant="small">{ip}</UserText>}
    </Stack>
  )
}

function Subject({ entry }: { entry: AuditLogEntry }) {
  const { t, i18n } = useTranslation('users')
  const say = (key: string, filled: Record<string, string> = {}): string =>
    t(key, { ...filled, defaultValue: '' })
  const subject = describeSubject(entry, say)
  const lead = leadOf(entry)
  return (
    <Stack gap={0}>
      {lead === null ? (
        <UserText>{subject}</UserText>
      ) : (
        <PageLink to={lead} size="sm">
          <UserText>{subject}</UserText>
        </PageLink>
      )}
      {describeDetails(entry, say, i18n.language).map((line) => (
        <Text key={line} span size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  )
}
