/** The requirements of one state as a line that opens; what is not met is open. */
import { Group, Stack, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { DomainCompliance } from '../../../../../src/contract/workspace/compliance.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { keyOf } from '../../../parts/key-of.ts'
import { RequirementView } from './RequirementView.tsx'

type Requirement = DomainCompliance['requirements'][number]

interface StateLineProps {
  state: Requirement['state']
  all: readonly Requirement[]
}

export function StateLine({ state, all }: StateLineProps) {
  const { t } = useTranslation('settings')
  const [isOpen, { toggle }] = useDisclosure(state === 'not_met')
  const requirements = all.filter((requirement) => requirement.state === state)
  if (requirements.length === 0) return null
  return (
    <Stack gap="sm">
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} fz="sm" fw={550}>
        <Group gap={6}>
          {t(keyOf('rules', state), { count: requirements.length })}
          <Icon name={isOpen ? 'down' : 'next'} size={14} />
        </Group>
      </UnstyledButton>
      {isOpen &&
        requirements.map((requirement) => (
          <RequirementView key={requirement.requirement} of={requirement} />
        ))}
    </Stack>
  )
}
