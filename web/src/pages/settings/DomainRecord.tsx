/**
 * Shows one DNS record: its purpose, its name and value, the value in DNS, and what is wrong with
 * that.
 */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Domain } from '../../../../src/contract/workspace/domains.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Status } from '../../parts/Status.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { StateBadge } from '../../parts/StateBadge.tsx'
import classes from './DomainRecord.module.css'
import { SettingFacts, type Fact } from './SettingFacts.tsx'

type DnsRecord = Domain['records'][number]

export function DomainRecord({ record }: { record: DnsRecord }) {
  const { t } = useTranslation('settings')
  const { purpose, type, name, value, status, found: result, problem, key } = record
  const title = keyOf('record', purpose)
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
          {t(`${title}Why`)}
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
            {
              name: t('recordName'),
              value: <CopyField value={name} label={t('recordName')} wrap />,
            },
            ...(isWrong
              ? result.map((there): Fact => ({
                  key: there,
                  name: t('recordIs'),
                  value: <span className={classes.written}>{there}</span>,
                }))
              : []),
            // The owner of the domain chooses its DMARC policy; the page accepts any that exists.
            {
              name: isWrong ? t('recordShould') : t('recordValue'),
              value: (
                <CopyField
                  value={status === 'found' ? (result[0] ?? value) : value}
                  label={t('recordValue')}
                  wrap
                />
              ),
            },
          ]}
        />
        {problem !== null && (
          <Text fw={550} className={classes.problem}>
            {t(keyOf('record', problem))}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function RecordStatus({ of: { status } }: { of: DnsRecord }) {
  const { t } = useTranslation('settings')
  if (status === null) return <Status tone="quiet">{t('recordToSet')}</Status>
  return <StateBadge t={t} prefix="record" state={status} />
}
