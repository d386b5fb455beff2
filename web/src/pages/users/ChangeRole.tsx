/** Changes what a member may do. */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Got } from '../../api/client.ts'
import { useAct } from '../../api/use-ask.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { notifyDone } from '../../parts/notify.ts'
import { ChooseRole } from './ChooseRole.tsx'
import { reasonOf } from './rule-at.ts'

type Member = Got<'listMembers'>['data'][number]

/** `member` null: closed. */
export function ChangeRole({ member, onClose }: { member: Member | null; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  return (
    <Modal opened={member !== null} onClose={onClose} title={t('changeRoleOf', { email: member?.email })}>
      {member && <Form member={member} onClose={onClose} />}
    </Modal>
  )
}

function Form({ member, onClose }: { member: Member; onClose: () => void }): ReactNode {
  const { t } = useTranslation('people')
  const [role, setRole] = useState(member.role)
  const act = useAct('changeRole', { refresh: ['listMembers', 'listMyWorkspaces'] })
  const submit = async (): Promise<void> => {
    await act.mutateAsync({ params: { id: member.id }, body: { role } })
    notifyDone(t('saved'))
    onClose()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit().catch(() => undefined)
      }}
    >
      <Stack>
        <ChooseRole value={role} onChange={setRole} />
        {reasonOf(act.error) === 'last_owner' ? (
          <Alert color="red" role="alert" icon={<Icon name="warning" />}>
            {t('lastOwner')}
          </Alert>
        ) : (
          <Failure error={act.error} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={act.isPending} disabled={role === member.role}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
