/**
 * The page lists members, their roles and open invitations; owners invite, change and remove
 * members.
 */
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct, useAsk, wholeList, type ItemOf } from '../../api/use-ask.ts'
import { useMay } from '../../api/use-role.ts'
import { ConfirmButton } from '../../parts/Confirm.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Listing, type Column } from '../../parts/Listing.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Status } from '../../parts/Status.tsx'
import { TitleTotal } from '../../parts/table/TitleTotal.tsx'
import { useWholeTable } from '../../parts/table/use-whole-table.tsx'
import { UserText } from '../../parts/UserText.tsx'
import { ChangeRole } from './ChangeRole.tsx'
import { Invitations } from './Invitations.tsx'
import { InviteMember } from './InviteMember.tsx'

type Member = ItemOf<'listMembers'>

export function MembersPage() {
  const { t } = useTranslation('users')
  const isOwner = useMay('owner')
  const me = useAsk('getSession')
  const members = useAsk('listMembers')
  const [isInviting, { open, close }] = useDisclosure()
  const [changing, setChanging] = useState<Member | null>(null)
  const rows = members.data?.data ?? []
  const columns = useColumns({
    me: me.data?.person.id ?? '',
    isOwner,
    owners: rows.filter(({ role }) => role === 'owner').length,
    onChange: setChanging,
  })
  const { search, nothing, ...table } = useWholeTable(wholeList(members, rows), {
    textOf: ({ name, email, role }) => `${name} ${email} ${t(role)}`,
    orders: {
      member: ({ name, email }) => (name === '' ? email : name),
      joined: ({ joined_at: at }) => at,
    },
  })
  const invite = isOwner && (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      {t('invite')}
    </Button>
  )
  return (
    <Page
      title={t('members')}
      beside={<TitleTotal total={table.total} />}
      about={t('membersAbout')}
      main={invite}
    >
      <Stack gap="xl">
        {search}
        <Listing
          label={t('members')}
          {...table}
          {...(nothing && { empty: nothing })}
          idOf={({ id }) => id}
          columns={columns}
        />
        {isOwner ? (
          <Section title={t('invitations')} size="h4">
            <Invitations />
          </Section>
        ) : (
          <Alert color="gray" icon={<Icon name="help" />}>
            {t('ownersInvite')}
          </Alert>
        )}
      </Stack>
      <InviteMember opened={isInviting} onClose={close} />
      <ChangeRole member={changing} onClose={() => setChanging(null)} />
    </Page>
  )
}

interface Viewing {
  /** The user's own id. */
  me: string
  isOwner: boolean
  owners: number
  onChange: (member: Member) => void
}

function useColumns({ me, isOwner, owners, onChange }: Viewing): Column<Member>[] {
  const { t } = useTranslation('users')
  const isLastOwner = ({ role }: Member): boolean => role === 'owner' && owners === 1
  return [
    {
      header: t('member'),
      sort: 'member',
      cell: (member) => (
        <Stack gap={0}>
          <Group gap="xs" wrap="nowrap">
            <UserText variant="strong">{member.name === '' ? member.email : member.name}</UserText>
            {member.id === me && <Status tone="quiet">{t('you')}</Status>}
          </Group>
          {member.name !== '' && <UserText variant="small">{member.email}</UserText>}
        </Stack>
      ),
    },
    { header: t('role'), cell: ({ role }) => t(role), short: true },
    {
      header: t('secondFactor'),
      cell: (member) => (
        <Status tone={member.second_factor ? 'good' : 'quiet'}>
          {member.second_factor ? t('yes') : t('no')}
        </Status>
      ),
    },
    { header: t('joined'), sort: 'joined', cell: (member) => <Moment at={member.joined_at} /> },
    {
      header: t('actions'),
      align: 'end',
      cell: (member) => (
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
          {!isLastOwner(member) && member.id === me && <Leave />}
          {!isLastOwner(member) && member.id !== me && isOwner && <RemoveMember member={member} />}
        </Group>
      ),
    },
  ]
}

function Leave() {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('leaveWorkspace')
  return (
    <ConfirmButton
      label={t('leave')}
      size="xs"
      title={t('leaveTitle')}
      danger
      onConfirm={async () => {
        await mutateAsync({})
        window.location.assign('/app')
      }}
    >
      {t('leaveWhat')}
    </ConfirmButton>
  )
}

function RemoveMember({ member: { id, email } }: { member: Member }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('removeMember', {
    refresh: ['listMembers'],
    done: t('memberRemoved', { email }),
  })
  return (
    <ConfirmButton
      label={t('remove')}
      size="xs"
      name={t('removeNamed', { name: email })}
      title={t('removeTitle', { email })}
      danger
      onConfirm={() => mutateAsync({ params: { id } })}
    >
      {t('removeWhat')}
    </ConfirmButton>
  )
}
