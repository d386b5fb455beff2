/**
 * The DNS records of a domain in one table, the required one first: name and value to copy, what is
 * in DNS, and what is wrong with that.
 */
import { Paper, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Domain } from '../../../../src/contract/workspace/domains.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { Status } from '../../parts/Status.tsx'
import classes from './DomainRecords.module.css'

type DnsRecord = Domain['records'][number]

export function DomainRecords({ records }: { records: readonly DnsRecord[] }) {
  const { t } = useTranslation('settings')
  const sorted = records.toSorted((a, b) => Number(b.required) - Number(a.required))
  return (
    <Section title={t('dnsRecords')} about={t('dnsRecordsWhy')} size="h2">
      <Paper p={0} className={classes.frame}>
        <table className={classes.table} aria-label={t('dnsRecords')}>
          <thead>
            <tr>
              <th>{t('recordWhat')}</th>
              <th>{t('recordName')}</th>
              <th>{t('recordValue')}</th>
              <th>{t('state')}</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((record) => (
              <RecordRow key={`${record.type} ${record.name}`} record={record} />
            ))}
          </tbody>
        </table>
      </Paper>
    </Section>
  )
}

function RecordRow({ record }: { record: DnsRecord }) {
  const { t } = useTranslation('settings')
  const { purpose, type, name, required, key } = record
  const kind = key ? ` (${key.algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519'})` : ''
  const title = keyOf('record', purpose)
  return (
    <tr aria-label={`${t(title)}${kind}`}>
      <td className={classes.what}>
        <Text fw={600}>
          {t(title)}
          {kind}
        </Text>
        <Text size="xs" c="dimmed">
          {t(`${title}Why`)}
          {key?.retire_at && (
            <>
              {' '}
              {t('keepRecordUntil')} <Moment at={key.retire_at} exact />
            </>
          )}
        </Text>
        {required && <Status tone="busy">{t('recordRequired')}</Status>}
      </td>
      <td className={classes.name}>
        <Text size="xs" c="dimmed">
          {type}
        </Text>
        <div data-field="name">
          <CopyField value={name} label={t('recordName')} wrap />
        </div>
      </td>
      <td className={classes.value}>
        <RecordValue record={record} />
      </td>
      <td className={classes.state}>
        <RecordStatus of={record} />
      </td>
    </tr>
  )
}

function RecordValue({ record: { value, status, found: result, problem } }: { record: DnsRecord }) {
  const { t } = useTranslation('settings')
  const isWrong = status === 'wrong'
  return (
    <>
      {isWrong && result.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('recordIs')}
        </Text>
      )}
      {isWrong &&
        result.map((there) => (
          <Text key={there} className={classes.written}>
            {there}
          </Text>
        ))}
      {isWrong && (
        <Text size="xs" c="dimmed">
          {t('recordShould')}
        </Text>
      )}
      {/* The owner of the domain chooses its DMARC policy; the page accepts any that exists. */}
      <div data-field="value">
        <CopyField
          value={status === 'found' ? (result[0] ?? value) : value}
          label={t('recordValue')}
          wrap
        />
      </div>
      {problem !== null && (
        <Text fw={550} className={classes.problem}>
          {t(keyOf('record', problem))}
        </Text>
      )}
    </>
  )
}

function RecordStatus({ of: { status } }: { of: DnsRecord }) {
  const { t } = useTranslation('settings')
  if (status === null) return <Status tone="quiet">{t('recordToSet')}</Status>
  return <StateBadge t={t} prefix="record" state={status} />
}
