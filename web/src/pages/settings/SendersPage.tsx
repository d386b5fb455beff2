/** Senders: the addresses that campaigns and our own notices are from, one of them the default. */
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Sender } from '../../../../src/contract/workspace/senders.ts'
import { useAct, useList } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { rethrowWith } from './rethrow-with.ts'
import { SenderForm } from './SenderForm.tsx'

const whatChanges = ['listSenders', 'getSettings', 'getAccount', 'listForms'] as const

export function SendersPage(): ReactNode {
  const { t } = useTranslation('settings')
  const mayChange = useMay('editor')
  const senders = useList('listSenders')
  const update = useAct('updateSender', { refresh: whatChanges })
  const remove = useAct('removeSender', { refresh: whatChanges })
  const [writing, setWriting] = useState<Sender | 'new' | null>(null)
  const [choosing, setChoosing] = useState<Sender | null>(null)
  const [leaving, setLeaving] = useState<Sender | null>(null)
  const whyNot = (error: unknown): never =>
    rethrowWith(error, ({ reason, campaigns }) =>
      reason === 'default_sender'
        ? t('isStillDefault')
        : reason === 'planned_campaigns'
          ? t('campaignsPlanned', { count: Number(campaigns) })
          : null,
    )
  const add = mayChange && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setWriting('new')}>
      {t('addSender')}
    </Button>
  )
  return (
    <Page title={t('senders')} about={t('sendersAbout')} actions={add}>
      <Listing
        label={t('senders')}
        read={senders}
        idOf={({ id }) => id}
        empty={
          <Empty icon="send" title={t('noSenders')} action={add}>
            {t('noSendersWhy')}
          </Empty>
        }
        columns={useColumns(mayChange, { choose: setChoosing, write: setWriting, leave: setLeaving })}
      />
      <SenderForm sender={writing} onClose={() => setWriting(null)} />
      <Confirm
        opened={choosing !== null}
        onClose={() => setChoosing(null)}
        title={t('makeDefaultTitle', { email: choosing?.email })}
        verb={t('makeDefault')}
        onConfirm={async () => {
          if (!choosing) return
          await update.mutateAsync({ params: { id: choosing.id }, body: { default: true } })
          notifyDone(t('isDefault', { email: choosing.email }))
        }}
      >
        {t('makeDefaultWhat')}
      </Confirm>
      <Confirm
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={t('removeSenderTitle', { email: leaving?.email })}
        verb={t('removeSender')}
        danger
        onConfirm={async () => {
          if (!leaving) return
          await remove.mutateAsync({ params: { id: leaving.id } }).catch(whyNot)
          notifyDone(t('senderRemoved', { email: leaving.email }))
        }}
      >
        {t('removeSenderWhat')}
      </Confirm>
    </Page>
  )
}

function useColumns(mayChange: boolean, act: Record<'choose' | 'write' | 'leave', (sender: Sender) => void>): Column<Sender>[] {
  const { t } = useTranslation('settings')
  const actions: Column<Sender> = {
    header: t('actions'),
    align: 'end',
    cell: (sender) => (
      <Group gap="xs" justify="flex-end">
        {!sender.default && sender.domain_status === 'verified' && (
          <Button size="xs" variant="default" onClick={() => act.choose(sender)}>
            {t('makeDefault')}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          onClick={() => act.write(sender)}
          aria-label={t('renameNamed', { name: sender.email })}
        >
          {t('rename')}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => act.leave(sender)}
          aria-label={t('removeNamed', { name: sender.email })}
        >
          {t('remove')}
        </Button>
      </Group>
    ),
  }
  return [
    {
      header: t('address'),
      cell: ({ email, default: isDefault }) => (
        <Group gap="xs" wrap="nowrap">
          <UserText look="strong">{email}</UserText>
          {isDefault && <Status tone="busy">{t('defaultSender')}</Status>}
        </Group>
      ),
    },
    { header: t('shownName'), cell: ({ name }) => <UserText>{name ?? '–'}</UserText> },
    { header: t('domain'), cell: (sender) => <SenderDomain of={sender} /> },
    ...(mayChange ? [actions] : []),
  ]
}

function SenderDomain({ of: { domain, domain_status: status } }: { of: Sender }): ReactNode {
  const { t } = useTranslation('settings')
  if (status === 'verified') return <Status tone="good">{t('verified')}</Status>
  const to = status === 'pending' ? `settings/domains/${domain}` : 'settings/domains'
  return (
    <Group gap="xs">
      <Status tone="warning">{status === 'pending' ? t('senderUnverified') : t('senderWithoutDomain')}</Status>
      <PageLink to={to} size="sm">
        {status === 'pending' ? t('seeRecords') : t('addItsDomain')}
      </PageLink>
    </Group>
  )
}
