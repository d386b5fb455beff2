/** Senders: the addresses that campaigns and our own notices are from, one of them the default. */
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Sender } from '../../../../src/contract/workspace/senders.ts'
import { useAct, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { rethrowWith } from './rethrow-with.ts'
import { SenderForm, senderReads } from './SenderForm.tsx'

export function SendersPage() {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const senders = useList('listSenders')
  const [writing, setWriting] = useState<Sender | 'new' | null>(null)
  const add = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setWriting('new')}>
      {t('addSender')}
    </Button>
  )
  const { search, nothing, ...table } = useWholeTable(senders, {
    textOf: ({ email, name, domain }) => `${email} ${name ?? ''} ${domain}`,
    orders: {
      address: ({ email }) => email,
      name: ({ name }) => name ?? '',
      domain: ({ domain }) => domain,
    },
  })
  return (
    <Page
      title={t('senders')}
      beside={<TitleTotal total={table.total} />}
      about={t('sendersAbout')}
      main={add}
    >
      {search}
      <Listing
        label={t('senders')}
        {...table}
        idOf={({ id }) => id}
        empty={
          nothing ?? { icon: 'send', title: t('noSenders'), action: add, why: t('noSendersWhy') }
        }
        columns={useColumns(mayChange, setWriting)}
      />
      <SenderForm sender={writing} onClose={() => setWriting(null)} />
    </Page>
  )
}

function useColumns(mayChange: boolean, onRename: (sender: Sender) => void): Column<Sender>[] {
  const { t } = useTranslation('settings')
  const actions: Column<Sender> = {
    header: t('actions'),
    align: 'end',
    cell: (sender) => (
      <Group gap="xs" justify="flex-end">
        {!sender.default && sender.domain_status === 'verified' && <MakeDefault sender={sender} />}
        <Button
          size="xs"
          variant="default"
          onClick={() => onRename(sender)}
          aria-label={t('renameNamed', { name: sender.email })}
        >
          {t('rename')}
        </Button>
        <Remove sender={sender} />
      </Group>
    ),
  }
  return [
    {
      header: t('address'),
      sort: 'address',
      cell: ({ email, default: isDefault }) => (
        <Group gap="xs" wrap="nowrap">
          <UserText variant="strong">{email}</UserText>
          {isDefault && <Status tone="busy">{t('defaultSender')}</Status>}
        </Group>
      ),
    },
    {
      header: t('shownName'),
      sort: 'name',
      cell: ({ name }) => <UserText>{name ?? '–'}</UserText>,
    },
    { header: t('domain'), sort: 'domain', cell: (sender) => <SenderDomain of={sender} /> },
    ...(mayChange ? [actions] : []),
  ]
}

function MakeDefault({ sender: { id, email } }: { sender: Sender }) {
  const { t } = useTranslation('settings')
  const { mutateAsync } = useAct('updateSender', {
    refresh: senderReads,
    done: t('isDefault', { email }),
  })
  return (
    <ConfirmButton
      label={t('makeDefault')}
      size="xs"
      title={t('makeDefaultTitle', { email })}
      onConfirm={() => mutateAsync({ params: { id }, body: { default: true } })}
    >
      {t('makeDefaultWhat')}
    </ConfirmButton>
  )
}

function Remove({ sender: { id, email } }: { sender: Sender }) {
  const { t } = useTranslation('settings')
  const { mutateAsync } = useAct('removeSender', {
    refresh: senderReads,
    done: t('senderRemoved', { email }),
  })
  const whyNot = (error: unknown): never =>
    rethrowWith(error, ({ reason, campaigns }) => {
      if (reason === 'default_sender') return t('isStillDefault')
      return reason === 'planned_campaigns'
        ? t('campaignsPlanned', { count: Number(campaigns) })
        : null
    })
  return (
    <ConfirmButton
      label={t('remove')}
      size="xs"
      name={t('removeNamed', { name: email })}
      title={t('removeSenderTitle', { email })}
      verb={t('removeSender')}
      danger
      onConfirm={() => mutateAsync({ params: { id } }).catch(whyNot)}
    >
      {t('removeSenderWhat')}
    </ConfirmButton>
  )
}

function SenderDomain({ of: { domain, domain_status: status } }: { of: Sender }) {
  const { t } = useTranslation('settings')
  if (status === 'verified') return <Status tone="good">{t('verified')}</Status>
  const to = status === 'pending' ? `settings/domains/${domain}` : 'settings/domains'
  return (
    <Group gap="xs">
      <Status tone="warning">
        {status === 'pending' ? t('senderUnverified') : t('senderWithoutDomain')}
      </Status>
      <PageLink to={to} size="sm">
        {status === 'pending' ? t('seeRecords') : t('addItsDomain')}
      </PageLink>
    </Group>
  )
}
