/**
 * The view counts the new, updated and refused lines of an import or dry run, and offers the
 * refused lines as a file.
 */
import { Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { languageNow } from '../../language.ts'
import type { ImportCounts, ImportDetail } from '../../../../src/contract/workspace/imports.ts'
import { addressOf } from '../../api/client.ts'
import { useMay } from '../../api/use-role.ts'
import { Addressed } from '../../parts/Addressed.tsx'
import { ButtonLink, DownloadButton } from '../../parts/links.tsx'

interface ViewProps {
  counts: ImportCounts | null
  detail: ImportDetail
  /** The import is over. */
  done?: boolean
  /** The counts are of a dry run, which changes nothing. */
  trial?: boolean
}

export function ImportCountsView({
  counts,
  detail: result,
  done = false,
  trial = false,
}: ViewProps) {
  const { t } = useTranslation('subscribers')
  if (!counts) return null
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Count label={t('countPeople')} count={counts.people} />
        <Count label={trial ? t('wouldNew') : t('countNew')} count={counts.new} />
        <Count label={trial ? t('wouldUpdated') : t('countUpdated')} count={counts.updated} />
        <Count label={trial ? t('wouldRefused') : t('countRefused')} count={counts.refused} />
      </SimpleGrid>
      {counts.refused > 0 && (done || trial) && <Refused counts={counts} detail={result} />}
      {done && counts.new + counts.updated > 0 && (
        <div>
          <ButtonLink to="subscribers" search={tagOf(result)} variant="default">
            {t('seeImported')}
          </ButtonLink>
        </div>
      )}
    </Stack>
  )
}

/** Filters by the tag that the import gave all its subscribers; without a tag, by the source. */
const tagOf = ({ tags: [tag] }: ImportDetail): Record<string, string> =>
  tag === undefined ? { source: 'import' } : { tag }

function Count({ label, count }: { label: string; count: number }) {
  const { i18n } = useTranslation('subscribers')
  return (
    <Card withBorder p="sm">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={650} size="xl">
        {count.toLocaleString(i18n.language)}
      </Text>
    </Card>
  )
}

function Refused({ counts, detail: result }: { counts: ImportCounts; detail: ImportDetail }) {
  const { t, i18n } = useTranslation('subscribers')
  const mayEdit = useMay('editor')
  const language = languageNow()
  const explain = (reason: string): string => result.explanations[reason]?.[language] ?? reason
  const reasons = Object.entries(counts.reasons).toSorted(([, value], [, other]) => other - value)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('whyRefused')}
        </Title>
        {mayEdit && (
          <DownloadButton
            href={addressOf('downloadRefusals', { params: { id: result.id }, query: { language } })}
          >
            {t('downloadRefused')}
          </DownloadButton>
        )}
      </Group>
      <Table aria-label={t('whyRefused')} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('reason')}</Table.Th>
            <Table.Th ta="end">{t('lines')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {reasons.map(([reason, count]) => (
            <Table.Tr key={reason}>
              <Table.Td>{explain(reason)}</Table.Td>
              <Table.Td ta="end">{count.toLocaleString(i18n.language)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <FirstLines detail={result} explain={explain} />
    </Stack>
  )
}

function FirstLines({
  detail: { refusals },
  explain,
}: {
  detail: ImportDetail
  explain: (reason: string) => string
}) {
  const { t, i18n } = useTranslation('subscribers')
  if (refusals.length === 0) return null
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table
        aria-label={t('firstRefused')}
        withTableBorder
        captionSide="top"
        data={{
          caption: t('firstRefused'),
          head: [t('line'), t('address'), t('reason')],
          body: refusals.map(({ line, email, reason }) => [
            line.toLocaleString(i18n.language),
            <Addressed key="address">{email || '–'}</Addressed>,
            explain(reason),
          ]),
        }}
      />
    </Table.ScrollContainer>
  )
}
