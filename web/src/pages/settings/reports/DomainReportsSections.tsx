/**
 * What mailbox providers report on a domain by mail: who sends as it, how its hosts receive, who
 * complains. All of it is text.
 */
import { Badge, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { lazy, Suspense, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { reportRecordsMax } from 'virtual:contract'
import type { DomainReports } from '../../../../../src/contract/workspace/domain-reports.ts'
import { useAsk } from '../../../api/use-ask.ts'
import { CopyField } from '../../../parts/CopyField.tsx'
import { keyOf } from '../../../parts/key-of.ts'
import { Loaded } from '../../../parts/Loaded.tsx'
import { Moment } from '../../../parts/Moment.tsx'
import { Section } from '../../../parts/Section.tsx'
import { Status } from '../../../parts/Status.tsx'
import { UserText } from '../../../parts/UserText.tsx'

const ReportDaysChart = lazy(() => import('./ReportDaysChart.tsx'))

export function DomainReportsSections({ name }: { name: string }) {
  const read = useAsk('getDomainReports', { params: { name } })
  return (
    <Loaded of={read} waiting={<Skeleton height={160} radius="lg" />}>
      {(reports) => (
        <Stack gap="lg">
          <Senders dmarc={reports.dmarc} />
          <Receiving tls={reports.tls} />
          <Complaints complaints={reports.complaints} />
        </Stack>
      )}
    </Loaded>
  )
}

function Senders({ dmarc: { days, sources, cut_reports: cut } }: Pick<DomainReports, 'dmarc'>) {
  const { t, i18n } = useTranslation('settings')
  const say = (count: number): string => count.toLocaleString(i18n.language)
  const series = [
    { name: 'passed', label: t('dmarcPassed'), color: 'var(--outcome-delivered)' },
    { name: 'failed', label: t('dmarcFailed'), color: 'var(--outcome-bounced)' },
    { name: 'unproven', label: t('unproven'), color: 'var(--outcome-waiting)' },
  ]
  return (
    <Section title={t('whoSends')} about={t('whoSendsAbout')} size="h2">
      {sources.length === 0 ? (
        <Text c="dimmed">{t('noDmarcReports')}</Text>
      ) : (
        <>
          <Chart days={days} series={series} label={t('whoSends')} />
          <ReportTable
            label={t('sources')}
            heads={[t('sendingServer'), t('result'), t('messages'), t('reportedBy')]}
            counts={[2]}
          >
            {sources.map((source) => (
              <Table.Tr
                key={[source.source, source.header_from, source.ours, source.proven].join(' ')}
              >
                <Table.Td>
                  <UserText variant="strong">{source.source ?? t('otherSources')}</UserText>
                  <Text size="sm" c="dimmed">
                    {source.ours
                      ? t('signedHere')
                      : source.dkim_domain === null
                        ? t('signedByNobody')
                        : t('signedBy', { domain: source.dkim_domain })}{' '}
                    · {t('fromDomain', { domain: source.header_from })}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {source.passed === source.messages ? (
                    <Status tone="good">{t('dmarcPassed')}</Status>
                  ) : (
                    <Status tone="bad">
                      {t('someFailed', { count: source.messages - source.passed })}
                    </Status>
                  )}
                  <Text size="sm" c="dimmed">
                    {t('dkimAndSpf', { dkim: say(source.dkim), spf: say(source.spf) })}
                  </Text>
                </Table.Td>
                <Table.Td ta="end">{say(source.messages)}</Table.Td>
                <Reporters of={source} />
              </Table.Tr>
            ))}
          </ReportTable>
          {cut > 0 && (
            <Text c="dimmed">{t('cutReports', { count: cut, max: say(reportRecordsMax) })}</Text>
          )}
        </>
      )}
    </Section>
  )
}

function Receiving({ tls: { days, results, record } }: Pick<DomainReports, 'tls'>) {
  const { t, i18n } = useTranslation('settings')
  const series = [
    { name: 'succeeded', label: t('tlsSucceeded'), color: 'var(--outcome-delivered)' },
    { name: 'failed', label: t('tlsFailed'), color: 'var(--outcome-bounced)' },
    { name: 'unproven', label: t('unproven'), color: 'var(--outcome-waiting)' },
  ]
  return (
    <Section title={t('howItReceives')} about={t('howItReceivesAbout')} size="h2">
      {results.length === 0 ? (
        <>
          <Text c="dimmed">{t('noTlsReports')}</Text>
          {record !== null && !record.is_found && (
            <Stack gap={4}>
              <Text>{t('tlsRecordToSet')}</Text>
              <CopyField label={t('recordName')} value={record.name} />
              <CopyField label={t('recordValue')} value={record.value} />
            </Stack>
          )}
        </>
      ) : (
        <>
          <Chart days={days} series={series} label={t('howItReceives')} />
          <ReportTable
            label={t('hosts')}
            heads={[t('host'), t('result'), t('sessions'), t('reportedBy')]}
            counts={[2]}
          >
            {results.map((result) => (
              <Table.Tr
                key={[
                  result.policy_domain,
                  result.policy,
                  result.host,
                  result.result,
                  result.proven,
                ].join(' ')}
              >
                <Table.Td>
                  <UserText variant="strong">{result.host ?? result.policy_domain}</UserText>
                  <Text size="sm" c="dimmed">
                    {t(keyOf('tlsPolicy', result.policy), { domain: result.policy_domain })}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {result.result === 'success' ? (
                    <Status tone="good">{t('tlsSucceeded')}</Status>
                  ) : (
                    <Status tone="bad">
                      {result.result === 'other' ? t('tlsFailed') : result.result}
                    </Status>
                  )}
                </Table.Td>
                <Table.Td ta="end">{result.sessions.toLocaleString(i18n.language)}</Table.Td>
                <Reporters of={result} />
              </Table.Tr>
            ))}
          </ReportTable>
        </>
      )}
    </Section>
  )
}

function Complaints({ complaints }: Pick<DomainReports, 'complaints'>) {
  const { t, i18n } = useTranslation('settings')
  return (
    <Section title={t('mailedComplaints')} about={t('mailedComplaintsAbout')} size="h2">
      {complaints.length === 0 ? (
        <Text c="dimmed">{t('noMailedComplaints')}</Text>
      ) : (
        <ReportTable
          label={t('mailedComplaints')}
          heads={[
            t('reportedBy'),
            t('provenComplaints'),
            t('unprovenComplaints'),
            t('unverifiedReports'),
            t('lastReport'),
          ]}
          counts={[1, 2, 3]}
        >
          {complaints.map(({ reporter, verified, proven, unverified, last_at: last }) => (
            <Table.Tr key={reporter}>
              <Table.Td>
                <UserText variant="strong">{reporter}</UserText>
              </Table.Td>
              <Table.Td ta="end">{proven.toLocaleString(i18n.language)}</Table.Td>
              <Table.Td ta="end">{(verified - proven).toLocaleString(i18n.language)}</Table.Td>
              <Table.Td ta="end">{unverified.toLocaleString(i18n.language)}</Table.Td>
              <Table.Td>
                <Moment at={last} />
              </Table.Td>
            </Table.Tr>
          ))}
        </ReportTable>
      )}
    </Section>
  )
}

function Chart(props: Parameters<typeof ReportDaysChart>[0]) {
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <ReportDaysChart {...props} />
    </Suspense>
  )
}

interface ReportTableProps {
  label: string
  heads: string[]
  /** The columns of counts. */
  counts: number[]
  children: ReactNode
}

function ReportTable({ label, heads, counts, children }: ReportTableProps) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head, column) => (
              <Table.Th key={head} ta={counts.includes(column) ? 'end' : 'start'}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Reporters({
  of: { reporters, proven },
}: {
  of: { reporters: string[]; proven: boolean }
}) {
  const { t } = useTranslation('settings')
  return (
    <Table.Td>
      <Group gap="xs">
        <UserText>{reporters.join(', ')}</UserText>
        {!proven && (
          <Badge color="gray" variant="light">
            {t('unproven')}
          </Badge>
        )}
      </Group>
    </Table.Td>
  )
}
