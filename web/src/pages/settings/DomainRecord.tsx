/** One DNS record: what it is for, what to write where, what is there instead, and what is wrong with that. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Domain, RecordProblem } from '../../../../src/contract/workspace/domains.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import classes from './DomainRecord.module.css'
import { SettingFacts, type Fact } from './SettingFacts.tsx'

type DnsRecord = Domain['records'][number]

const purposes: Record<DnsRecord['purpose'], { title: string; why: string }> = {
  dkim: { title: 'recordDkim', why: 'recordDkimWhy' },
  return_path: { title: 'recordReturnPath', why: 'recordReturnPathWhy' },
  spf: { title: 'recordSpf', why: 'recordSpfWhy' },
  dmarc: { title: 'recordDmarc', why: 'recordDmarcWhy' },
  tracking: { title: 'recordTracking', why: 'recordTrackingWhy' },
}

const problems: Record<RecordProblem, string> = {
  not_dkim: 'recordNotDkim',
  revoked: 'recordRevoked',
  other_key: 'recordOtherKey',
  other_kind: 'recordOtherKind',
  other_hash: 'recordOtherHash',
  other_service: 'recordOtherService',
  testing: 'recordTesting',
  several_records: 'recordSeveral',
  other_host: 'recordOtherHost',
  not_authorised: 'recordNotAuthorised',
  unreadable: 'recordUnreadable',
  does_not_answer: 'recordDoesNotAnswer',
  dns_failed: 'recordDnsFailed',
}

export function DomainRecord({ record }: { record: DnsRecord }) {
  const { t } = useTranslation('settings')
  const { purpose, type, name, value, status, found, problem, key } = record
  const { title, why } = purposes[purpose]
  const kind = key ? ` (${key.algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519'})` : ''
  const isWrong = status === 'wrong'
  return (
    <Paper component="article" p="md" aria-label={`${t(title)}${kind}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={3}>
            {t(title)}
            {kind}
          </Title>
          <RecordStatus of={record} />
        </Group>
        <Text c="dimmed">
          {t(why)}
          {key?.retire_at && (
            <>
              {' '}
              {t('keepRecordUntil')} <Moment at={key.retire_at} exact />
            </>
          )}
        </Text>
        <SettingFacts
          facts={[
            { name: t('recordType'), value: <span className={classes.written}>{type}</span> },
            { name: t('recordName'), value: <CopyField value={name} label={t('recordName')} wrap /> },
            ...(isWrong
              ? found.map((there): Fact => ({
                  key: there,
                  name: t('recordIs'),
                  value: <span className={classes.written}>{there}</span>,
                }))
              : []),
            // A DMARC policy that is found is its owner's to choose.
            {
              name: isWrong ? t('recordShould') : t('recordValue'),
              value: <CopyField value={status === 'found' ? (found[0] ?? value) : value} label={t('recordValue')} wrap />,
            },
          ]}
        />
        {problem !== null && (
          <Text fw={550} className={classes.problem}>
            {t(problems[problem])}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

const states = {
  found: ['good', 'recordFound'],
  wrong: ['bad', 'recordWrong'],
  missing: ['warning', 'recordMissing'],
  unanswered: ['quiet', 'recordUnanswered'],
} as const

function RecordStatus({ of: { status } }: { of: DnsRecord }) {
  const { t } = useTranslation('settings')
  const [tone, text] = status === null ? (['quiet', 'recordToSet'] as const) : states[status]
  return <Status tone={tone}>{t(text)}</Status>
}
