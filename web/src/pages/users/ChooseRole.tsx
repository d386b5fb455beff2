/** The three roles, each with what it may. */
import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../../src/contract/roles.ts'

const roles: readonly Role[] = ['viewer', 'editor', 'owner']

export function ChooseRole({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { t } = useTranslation('users')
  return (
    <Radio.Group label={t('role')} value={value} onChange={(chosen) => onChange(roles.find((role) => role === chosen) ?? value)}>
      <Stack gap="sm" mt="xs">
        {roles.map((role) => (
          <Radio key={role} value={role} label={t(role)} description={t(`${role}May`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
