/** What was done in the workspace and by whom, newest first. */
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/use-ask.ts'
import type { ItemOf } from '../../api/use-ask.ts'
import { Empty } from '../../parts/Empty.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { actText } from './act-text.ts'

type Entry = ItemOf<'listAudit'>

export function AuditPage(): ReactNode {
  const { t } = useTranslation('people')
  const entries = useList('listAudit')
  return (
    <Page title={t('audit')} about={t('auditAbout')}>
      <Listing
        label={t('audit')}
        read={entries}
        idOf={({ id }) => id}
        empty={
          <Empty icon="clock" title={t('noAudit')}>
            {t('noAuditWhy')}
          </Empty>
        }
        columns={useColumns()}
      />
    </Page>
  )
}

function useColumns(): Column<Entry>[] {
  const { t } = useTranslation('people')
  return [
    { header: t('when'), cell: ({ at }) => <Moment at={at} />, width: '15%' },
    { header: t('who'), cell: (entry) => <Who entry={entry} />, width: '25%' },
    { header: t('what'), cell: ({ act }) => t(actText(act)), width: '25%' },
    { header: t('subject'), cell: (entry) => <Subject entry={entry} /> },
  ]
}

function Who({ entry: { who, ip } }: { entry: Entry }): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Stack gap={0}>
      <Text span size="sm">
        {who === 'command line' ? t('commandLine') : who.startsWith('key ') ? t('byKey', { name: who.slice(4) }) : who}
      </Text>
      {ip !== null && (
        <Text span size="xs" c="dimmed">
          {ip}
        </Text>
      )}
    </Stack>
  )
}

function Subject({ entry: { act, subject, details } }: { entry: Entry }): ReactNode {
  const { t } = useTranslation('people')
  const told = Object.entries(details).map(([name, value]) => `${name}: ${String(value)}`)
  return (
    <Stack gap={0}>
      <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
        {act.startsWith('subscriber.') ? <PageLink to={`subscribers/${subject}`}>{t('pageOfPerson')}</PageLink> : subject}
      </Text>
      {told.length > 0 && (
        <Text span size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {told.join(' · ')}
        </Text>
      )}
    </Stack>
  )
}
