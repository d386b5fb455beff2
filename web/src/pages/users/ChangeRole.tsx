/** Changes what a member may do. */
import { useTranslation } from 'react-i18next'
import { type ItemOf, useAct } from '../../api/use-ask.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Radio, Stack } from '@mantine/core'
import type { Role } from '../../../../src/contract/roles.ts'

type Member = ItemOf<'listMembers'>

/** A null `member` means closed. */
export function ChangeRole({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { t } = useTranslation('users')
  const { mutateAsync } = useAct('changeRole', {
    refresh: ['listMembers', 'listMyWorkspaces'],
    done: t('saved'),
  })
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

/** The three roles, each with what it may. */
const roles: readonly Role[] = ['viewer', 'editor', 'owner']

export function ChooseRole({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { t } = useTranslation('users')
  return (
    <Radio.Group
      label={t('role')}
      value={value}
      onChange={(chosen) => onChange(roles.find((role) => role === chosen) ?? value)}
    >
      <Stack gap="sm" mt="xs">
        {roles.map((role) => (
          <Radio key={role} value={role} label={t(role)} description={t(`${role}May`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
