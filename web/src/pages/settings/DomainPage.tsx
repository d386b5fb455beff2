/**
 * The page shows each DNS record of a domain with its problem, and checks them again while it is
 * open.
 */
import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Domain } from '../../../../src/contract/workspace/domains.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { CopyButton } from '../../parts/CopyField.tsx'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useGo } from '../../parts/links.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { ComplianceSection } from './compliance/ComplianceSection.tsx'
import { DomainRecords } from './DomainRecords.tsx'
import { DomainRefusals } from './DomainRefusals.tsx'
import { DomainStatus } from './DomainStatus.tsx'
import { DomainReportsSections } from './reports/DomainReportsSections.tsx'
import { rethrowWith } from './rethrow-with.ts'
import { isComplete, useDnsQuery } from './use-dns-check.ts'

export function DomainPage() {
  const { t } = useTranslation('settings')
  const { name = '' } = useParams({ strict: false })
  const read = useAsk('getDomain', { params: { name } }, { poll: 5_000 })
  const { data: domain } = read
  return (
    <Page
      title={name}
      back={{ to: 'settings/domains', label: t('domains') }}
      beside={
        domain && (
          <>
            <CopyButton value={domain.name} label={t('domain')} />
            <DomainStatus of={domain} />
          </>
        )
      }
      actions={domain && <Actions domain={domain} />}
    >
      <Loaded of={read} waiting={<Waiting />}>
        {(data) => <Records domain={data} />}
      </Loaded>
    </Page>
  )
}

function Records({ domain }: { domain: Domain }) {
  const { t } = useTranslation('settings')
  const mayQuery = useMay('editor')
  const { query, isQuerying, error } = useDnsQuery(domain, mayQuery)
  return (
    <Stack gap="lg">
      <div aria-live="polite">
        <DomainState domain={domain} />
      </div>
      <Group justify="space-between">
        <Text c="dimmed">
          {domain.checked_at === null ? t('notLookedAt') : t('lookedAt')}{' '}
          {domain.checked_at !== null && <Moment at={domain.checked_at} />}
          {mayQuery && !isComplete(domain) && ` · ${t('looksByItself')}`}
        </Text>
        {mayQuery && (
          <Button
            variant="default"
            leftSection={<Icon name="refresh" />}
            loading={isQuerying}
            onClick={query}
          >
            {t('lookNow')}
          </Button>
        )}
      </Group>
      <Failure error={error} />
      <DomainRecords records={domain.records} />
      <ComplianceSection name={domain.name} />
      <DomainRefusals name={domain.name} />
      {domain.status === 'verified' && <DomainReportsSections name={domain.name} />}
    </Stack>
  )
}

/** The alert explains the domain's state and the next step. */
function DomainState({ domain }: { domain: Domain }) {
  const { t } = useTranslation('settings')
  const left = domain.records.filter(({ status }) => status !== 'found').length
  if (domain.status === 'pending')
    return (
      <Alert color="yellow" icon={<Icon name="clock" />} title={t('domainWaits')}>
        {t('domainWaitsWhy')}
      </Alert>
    )
  if (domain.rotating)
    return (
      <Alert color="blue" icon={<Icon name="refresh" />} title={t('domainRotates')}>
        {t('domainRotatesWhy')}
      </Alert>
    )
  return (
    <Alert
      color="teal"
      icon={<Icon name="check" />}
      title={t('domainVerified', { name: domain.name })}
    >
      {domain.checked_at === null
        ? t('recordsUnknown')
        : left === 0
          ? t('allRecordsFound')
          : t('recordsLeft', { count: left })}
    </Alert>
  )
}

function Actions({ domain: { name, rotating, status } }: { domain: Domain }) {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const go = useGo()
  const rotate = useAct('rotateDomainKeys', { refresh: ['getDomain'] })
  const refresh = ['listDomains', 'getAccount', 'listSenders'] as const
  const remove = useAct('removeDomain', { refresh, done: t('domainRemoved', { name }) })
  const whyNot = (error: unknown): never =>
    rethrowWith(error, ({ senders, campaigns, waiting }) =>
      t('domainInUse', { senders, campaigns, waiting }),
    )
  if (!mayChange) return null
  return (
    <>
      <ConfirmButton
        label={t('rotateKeys')}
        inactive={rotating || status === 'pending'}
        title={t('rotateTitle')}
        onConfirm={() => rotate.mutateAsync({ params: { name } })}
      >
        {t('rotateWhat')}
      </ConfirmButton>
      <ConfirmButton
        label={t('remove')}
        icon="trash"
        title={t('removeDomainTitle', { name })}
        verb={t('removeDomain')}
        danger
        typed={name}
        onConfirm={() =>
          remove.mutateAsync({ params: { name } }).then(() => go('settings/domains'), whyNot)
        }
      >
        {t('removeDomainWhat')}
      </ConfirmButton>
    </>
  )
}

function Waiting() {
  const { t } = useTranslation('settings')
  return (
    <Stack role="status" aria-label={t('loading')}>
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} height={120} radius="lg" />
      ))}
    </Stack>
  )
}
