/** Who is invited and has not come yet; each can be withdrawn. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { roleTexts } from './role-texts.ts'

type Invitation = Got<'listInvitations'>['data'][number]

export function Invitations(): ReactNode {
  const { t } = useTranslation('people')
  const invitations = useAsk('listInvitations')
  const withdraw = useAct('withdrawInvitation', { refresh: ['listInvitations'] })
  const [ending, setEnding] = useState<Invitation | null>(null)
  return (
    <>
      <Listing
        label={t('invitations')}
        read={{
          items: invitations.data?.data ?? [],
          isLoading: invitations.isPending,
          error: invitations.data ? null : invitations.error,
          retry: () => void invitations.refetch(),
        }}
        idOf={({ id }) => id}
        empty={
          <Empty icon="emails" title={t('noInvitations')}>
            {t('noInvitationsWhy')}
          </Empty>
        }
        columns={useColumns(setEnding)}
      />
      <Confirm
        opened={ending !== null}
        onClose={() => setEnding(null)}
        title={t('withdrawNamed', { email: ending?.email })}
        verb={t('withdraw')}
        danger
        onConfirm={async () => {
          if (ending) await withdraw.mutateAsync({ params: { id: ending.id } })
        }}
      >
        {t('withdrawWhat')}
      </Confirm>
    </>
  )
}

function useColumns(onWithdraw: (invitation: Invitation) => void): Column<Invitation>[] {
  const { t } = useTranslation('people')
  return [
    { header: t('email'), cell: ({ email }) => email },
    { header: t('role'), cell: ({ role }) => t(roleTexts[role].name) },
    { header: t('invitedBy'), cell: ({ invited_by: by }) => by ?? t('operator') },
    { header: t('worksUntil'), cell: ({ expires_at: at }) => <Moment at={at} exact /> },
    {
      header: t('actions'),
      align: 'end',
      cell: (invitation) => (
        <Button
          size="xs"
          variant="default"
          onClick={() => onWithdraw(invitation)}
          aria-label={t('withdrawNamed', { email: invitation.email })}
        >
          {t('withdraw')}
        </Button>
      ),
    },
  ]
}
