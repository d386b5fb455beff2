/** The page lists API keys with their scopes, last use and expiry; owners make and revoke them. */
import { scopes } from 'virtual:contract'
import { Button, Code, Group, Stack, Switch, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiKey } from '../../../../src/contract/workspace/api-keys.ts'
import { useAct, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { StateBadge } from '../../parts/StateBadge.tsx'
import { NewKey } from './NewKey.tsx'

export function KeysPage() {
  const { t } = useTranslation('settings')
  const mayChange = useMay('owner')
  const keys = useList('listApiKeys')
  const [isMaking, setMaking] = useState(false)
  const [showsEnded, setShowsEnded] = useState(false)
  const ended = keys.items.filter(({ status }) => status !== 'active').length
  const shown = showsEnded ? keys.items : keys.items.filter(({ status }) => status === 'active')
  const table = useWholeTable(
    { ...keys, items: shown },
    {
      textOf: ({ name, prefix, scopes: allowed }) => `${name} ${prefix} ${allowed.join(' ')}`,
      orders: { name: ({ name }) => name, used: ({ last_used_at: at }) => at ?? '' },
    },
  )
  const create = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setMaking(true)}>
      {t('createKey')}
    </Button>
  )
  return (
    <Page
      title={t('keys')}
      beside={<TitleTotal total={table.total} />}
      about={mayChange ? t('keysAbout') : t('keysAboutReader')}
      main={create}
    >
      <Stack>
        {ended > 0 && (
          <Switch
            label={t('showEndedKeys', { count: ended })}
            checked={showsEnded}
            onChange={(event) => setShowsEnded(event.currentTarget.checked)}
          />
        )}
        {table.search}
        <Listing
          label={t('keys')}
          {...{ read: table.read, total: table.total, sorting: table.sorting }}
          idOf={({ id }) => id}
          empty={
            table.nothing ?? {
              ...{ icon: 'keys', title: t('noKeys'), action: create, why: t('noKeysWhy') },
            }
          }
          columns={columnsOf(t, mayChange)}
        />
      </Stack>
      <NewKey opened={isMaking} onClose={() => setMaking(false)} />
    </Page>
  )
}

const columnsOf = (t: TFunction<'settings'>, mayChange: boolean): Column<ApiKey>[] => [
  {
    header: t('name'),
    sort: 'name',
    cell: ({ name, status }) => (
      <Group gap="xs" wrap="nowrap">
        <UserText variant="strong">{name}</UserText>
        <StateBadge t={t} prefix="key" state={status} />
      </Group>
    ),
  },
  {
    header: t('beginsWith'),
    cell: ({ prefix }) => <Code>{prefix}…</Code>,
    short: true,
    narrow: 'bare',
  },
  { header: t('permissions'), narrow: 'bare', cell: (key) => <Permissions of={key} /> },
  {
    header: t('lastUsed'),
    sort: 'used',
    cell: ({ last_used_at: at }) => (at === null ? t('never') : <Moment at={at} />),
    short: true,
  },
  { header: t('worksUntil'), cell: (key) => <Until of={key} />, short: true, narrow: 'bare' },
  ...(mayChange
    ? [{ header: t('actions'), align: 'end' as const, cell: (key: ApiKey) => <Actions of={key} /> }]
    : []),
]

function Actions({ of }: { of: ApiKey }) {
  const { t } = useTranslation('settings')
  const { id, name } = of
  return (
    <Group gap="sm" justify="flex-end">
      <PageLink
        to="settings/requests"
        search={{ key: id }}
        size="sm"
        aria-label={t('requestsNamed', { name })}
      >
        {t('requestsOfThisKey')}
      </PageLink>
      <Revoke of={of} />
    </Group>
  )
}

function Revoke({ of: { id, name, status } }: { of: ApiKey }) {
  const { t } = useTranslation('settings')
  const { mutateAsync } = useAct('revokeApiKey', {
    refresh: ['listApiKeys'],
    done: t('keyIsRevoked', { name }),
  })
  if (status !== 'active') return null
  return (
    <ConfirmButton
      label={t('revoke')}
      size="xs"
      name={t('revokeNamed', { name })}
      title={t('revokeTitle', { name })}
      verb={t('revokeKey')}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('revokeWhat')}
    </ConfirmButton>
  )
}

function Permissions({ of }: { of: ApiKey }) {
  const { t } = useTranslation('settings')
  if (of.scopes.length === scopes.length) return <Text>{t('allPermissions')}</Text>
  return (
    <Group gap={4}>
      {of.scopes.map((scope) => (
        <Code key={scope} style={{ whiteSpace: 'nowrap' }}>
          {scope}
        </Code>
      ))}
    </Group>
  )
}

function Until({ of: { revoked_at: revokedAt, expires_at: expiresAt } }: { of: ApiKey }) {
  const { t } = useTranslation('settings')
  if (revokedAt !== null) return <Moment at={revokedAt} exact />
  return expiresAt === null ? t('untilRevoked') : <Moment at={expiresAt} exact />
}
