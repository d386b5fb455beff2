/** Changes what a member may do. */
import { useTranslation } from 'react-i18next'
import { useAct, type ItemOf } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { ChooseRole } from './ChooseRole.tsx'

type Member = ItemOf<'listMembers'>

/** `member` null: closed. */
export function ChangeRole({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('changeRole', { refresh: ['listMembers', 'listMyWorkspaces'], done: t('saved') })
  const { id = '', email, role = 'viewer' } = member ?? {}
  return (
    <FormDialog
      opened={member !== null}
      onClose={onClose}
      title={t('changeRoleOf', { email })}
      verb={t('save')}
      initial={{ role }}
      isReady={(values) => values.role !== role}
      onSubmit={(body) => mutateAsync({ params: { id }, body })}
    >
      {(form) => <ChooseRole {...form.pick('role')} />}
    </FormDialog>
  )
}
