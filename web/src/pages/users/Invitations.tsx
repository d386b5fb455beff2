/** Who is invited and has not come yet; each can be sent again, or withdrawn. */
import { Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { HandOver } from './HandOver.tsx'
import { roleTexts } from './role-texts.ts'

type Invitation = ItemOf<'listInvitations'>
type Invited = Got<'inviteMember'>

export function Invitations() {
  const { t } = useTranslation('users')
  const invitations = useAsk('listInvitations')
  const [shown, setShown] = useState<Invited | null>(null)
  return (
    <>
      <Listing
        label={t('invitations')}
        read={wholeList(invitations, invitations.data?.data)}
        idOf={({ id }) => id}
        empty={{ icon: 'emails', title: t('noInvitations'), why: t('noInvitationsWhy') }}
        columns={useColumns(setShown)}
      />
      <HandOver title={t('invitationLink')} invited={shown} onClose={() => setShown(null)} />
    </>
  )
}

function useColumns(onLink: (invited: Invited) => void): Column<Invitation>[] {
  const { t } = useTranslation('users')
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
          <InviteAgain invitation={invitation} onLink={onLink} />
          <Withdraw invitation={invitation} />
        </Group>
      ),
    },
  ]
}

interface InviteAgainProps {
  invitation: Invitation
  /** No mail brings the link. */
  onLink: (invited: Invited) => void
}

function InviteAgain({ invitation: { email, role }, onLink }: InviteAgainProps) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('inviteMember', { refresh: ['listInvitations'] })
  return (
    <ConfirmButton
      label={t('inviteAgain')}
      size="xs"
      name={t('inviteAgainNamed', { email })}
      title={t('inviteAgainNamed', { email })}
      onConfirm={async () => {
        const invited = await mutateAsync({ body: { email, role } })
        if (invited.link === null) notifyDone(t('invitationMailed', { email }))
        else onLink(invited)
      }}
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
