/** The list shows invitations that are still open; a member can send each again, or withdraw it. */
import { Group } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { useInvite, type Invite } from './InviteMember.tsx'

type Invitation = ItemOf<'listInvitations'>

export function Invitations() {
  const { t } = useTranslation('users')
  const invitations = useAsk('listInvitations')
  const { invite, handOver } = useInvite(t('invitationLink'))
  return (
    <>
      <Listing
        label={t('invitations')}
        read={wholeList(invitations, invitations.data?.data)}
        idOf={({ id }) => id}
        empty={{ icon: 'emails', title: t('noInvitations'), why: t('noInvitationsWhy') }}
        columns={columnsOf(t, invite)}
      />
      {handOver}
    </>
  )
}

const columnsOf = (t: TFunction<'users'>, invite: Invite): Column<Invitation>[] => [
  { header: t('email'), cell: ({ email }) => <UserText>{email}</UserText> },
  { header: t('role'), cell: ({ role }) => t(role), short: true },
  {
    header: t('invitedBy'),
    cell: ({ invited_by: by }) => <UserText>{by ?? t('operator')}</UserText>,
    wideOnly: true,
  },
  { header: t('worksUntil'), cell: ({ expires_at: at }) => <Moment at={at} exact /> },
  {
    header: t('actions'),
    align: 'end',
    cell: (invitation) => (
      <Group gap="xs" justify="flex-end">
        <InviteAgain invitation={invitation} invite={invite} />
        <Withdraw invitation={invitation} />
      </Group>
    ),
  },
]

function InviteAgain({
  invitation: { email, role },
  invite,
}: {
  invitation: Invitation
  invite: Invite
}) {
  const { t } = useTranslation('users')
  return (
    <ConfirmButton
      label={t('inviteAgain')}
      size="xs"
      name={t('inviteAgainNamed', { email })}
      title={t('inviteAgainNamed', { email })}
      onConfirm={() => invite({ email, role })}
    >
      {t('inviteAgainWhat')}
    </ConfirmButton>
  )
}

function Withdraw({ invitation: { id, email } }: { invitation: Invitation }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('withdrawInvitation', { refresh: ['listInvitations'] })
  return (
    <ConfirmButton
      label={t('withdraw')}
      size="xs"
      name={t('withdrawNamed', { email })}
      title={t('withdrawNamed', { email })}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('withdrawWhat')}
    </ConfirmButton>
  )
}
