/** Who is invited and has not come yet; each can be sent again, or withdrawn. */
import { Button, Group, Modal } from '@mantine/core'
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
import { UserText } from '../../parts/UserText.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { HandOver, staysOpen } from './HandOver.tsx'
import { roleTexts } from './role-texts.ts'

type Invitation = Got<'listInvitations'>['data'][number]

export function Invitations(): ReactNode {
  const { t } = useTranslation('people')
  const invitations = useAsk('listInvitations')
  const withdraw = useAct('withdrawInvitation', { refresh: ['listInvitations'] })
  const [ending, setEnding] = useState<Invitation | null>(null)
  const [again, setAgain] = useState<Invitation | null>(null)
  const invite = useAct('inviteMember', { refresh: ['listInvitations'] })
  const [shown, setShown] = useState<Got<'inviteMember'> | null>(null)
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
        columns={useColumns({ onAgain: setAgain, onWithdraw: setEnding })}
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
      <Confirm
        opened={again !== null}
        onClose={() => setAgain(null)}
        title={t('inviteAgainNamed', { email: again?.email })}
        verb={t('inviteAgain')}
        onConfirm={async () => {
          if (!again) return
          const { email, role } = again
          const invited = await invite.mutateAsync({ body: { email, role } })
          if (invited.link !== null) setShown(invited)
          else notifyDone(t('invitationMailed', { email }))
        }}
      >
        {t('inviteAgainWhat')}
      </Confirm>
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={t('invitationLink')} {...staysOpen}>
        {shown && <HandOver invited={shown} onClose={() => setShown(null)} />}
      </Modal>
    </>
  )
}

interface InvitationActs {
  onAgain: (invitation: Invitation) => void
  onWithdraw: (invitation: Invitation) => void
}

function useColumns({ onAgain, onWithdraw }: InvitationActs): Column<Invitation>[] {
  const { t } = useTranslation('people')
  return [
    { header: t('email'), cell: ({ email }) => <UserText>{email}</UserText> },
    { header: t('role'), cell: ({ role }) => t(roleTexts[role].name), short: true },
    { header: t('invitedBy'), cell: ({ invited_by: by }) => <UserText>{by ?? t('operator')}</UserText>, wideOnly: true },
    { header: t('worksUntil'), cell: ({ expires_at: at }) => <Moment at={at} exact /> },
    {
      header: t('actions'),
      align: 'end',
      cell: (invitation) => (
        <Group gap="xs" justify="flex-end">
          <Button
            size="xs"
            variant="default"
            onClick={() => onAgain(invitation)}
            aria-label={t('inviteAgainNamed', { email: invitation.email })}
          >
            {t('inviteAgain')}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => onWithdraw(invitation)}
            aria-label={t('withdrawNamed', { email: invitation.email })}
          >
            {t('withdraw')}
          </Button>
        </Group>
      ),
    },
  ]
}
