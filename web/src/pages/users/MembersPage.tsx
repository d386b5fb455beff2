/** Who is in the workspace and as what, who is invited; owners invite, change and remove. */
import { Alert, Button, Group, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct, useAsk } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Listing } from '../../parts/Listing.tsx'
import type { Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Status } from '../../parts/Status.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { ChangeRole } from './ChangeRole.tsx'
import { Invitations } from './Invitations.tsx'
import { InviteMember } from './InviteMember.tsx'
import { roleTexts } from './role-texts.ts'

type Member = Got<'listMembers'>['data'][number]

export function MembersPage(): ReactNode {
  const { t } = useTranslation('people')
  const isOwner = useMay('owner')
  const me = useAsk('getSession')
  const members = useAsk('listMembers')
  const remove = useAct('removeMember', { refresh: ['listMembers'] })
  const leave = useAct('leaveWorkspace')
  const [isInviting, setInviting] = useState(false)
  const [changing, setChanging] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const isMe = (member: Member | null): boolean => member !== null && member.id === me.data?.person.id
  const rows = members.data?.data ?? []
  const end = async (): Promise<void> => {
    if (!removing) return
    if (isMe(removing)) {
      await leave.mutateAsync({})
      window.location.assign('/app')
      return
    }
    await remove.mutateAsync({ params: { id: removing.id } })
    notifyDone(t('memberRemoved', { email: removing.email }))
  }
  const columns = useColumns({
    me: me.data?.person.id ?? '',
    isOwner,
    owners: rows.filter(({ role }) => role === 'owner').length,
    onChange: setChanging,
    onRemove: setRemoving,
  })
  const invite = isOwner && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setInviting(true)}>
      {t('invite')}
    </Button>
  )
  return (
    <Page title={t('members')} about={t('membersAbout')} actions={invite}>
      <Stack gap="xl">
        <Listing
          label={t('members')}
          read={{
            items: rows,
            isLoading: members.isPending,
            error: members.data ? null : members.error,
            retry: () => void members.refetch(),
          }}
          idOf={({ id }) => id}
          empty={null}
          columns={columns}
        />
        {isOwner ? (
          <Stack gap="sm">
            <Title order={2} size="h4">
              {t('invitations')}
            </Title>
            <Invitations />
          </Stack>
        ) : (
          <Alert color="gray" icon={<Icon name="help" />}>
            {t('ownersInvite')}
          </Alert>
        )}
      </Stack>
      <InviteMember opened={isInviting} onClose={() => setInviting(false)} />
      <ChangeRole member={changing} onClose={() => setChanging(null)} />
      <Confirm
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={isMe(removing) ? t('leaveTitle') : t('removeTitle', { email: removing?.email })}
        verb={isMe(removing) ? t('leave') : t('remove')}
        danger
        onConfirm={end}
      >
        {isMe(removing) ? t('leaveWhat') : t('removeWhat')}
      </Confirm>
    </Page>
  )
}

interface MemberActs {
  /** The person's own id. */
  me: string
  isOwner: boolean
  owners: number
  onChange: (member: Member) => void
  onRemove: (member: Member) => void
}

function useColumns({ me, isOwner, owners, onChange, onRemove }: MemberActs): Column<Member>[] {
  const { t } = useTranslation('people')
  const isLastOwner = ({ role }: Member): boolean => role === 'owner' && owners === 1
  return [
    {
      header: t('member'),
      cell: (member) => (
        <Stack gap={0}>
          <Group gap="xs" wrap="nowrap">
            <UserText look="strong">{member.name === '' ? member.email : member.name}</UserText>
            {member.id === me && <Status tone="quiet">{t('you')}</Status>}
          </Group>
          {member.name !== '' && <UserText look="small">{member.email}</UserText>}
        </Stack>
      ),
    },
    { header: t('role'), cell: ({ role }) => t(roleTexts[role].name), short: true },
    {
      header: t('secondFactor'),
      cell: (member) => (
        <Status tone={member.second_factor ? 'good' : 'quiet'}>{member.second_factor ? t('yes') : t('no')}</Status>
      ),
    },
    { header: t('joined'), cell: (member) => <Moment at={member.joined_at} /> },
    {
      header: t('actions'),
      align: 'end',
      cell: (member) =>
        (isOwner || member.id === me) && (
          <Group gap="xs" justify="flex-end">
            {isOwner && (
              <Button
                size="xs"
                variant="default"
                onClick={() => onChange(member)}
                aria-label={t('changeRoleOf', { email: member.email })}
              >
                {t('changeRole')}
              </Button>
            )}
            {(isOwner || member.id === me) && !isLastOwner(member) && (
              <Button
                size="xs"
                variant="default"
                onClick={() => onRemove(member)}
                aria-label={member.id === me ? t('leave') : t('removeNamed', { name: member.email })}
              >
                {member.id === me ? t('leave') : t('remove')}
              </Button>
            )}
          </Group>
        ),
    },
  ]
}
