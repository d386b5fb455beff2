/** A group of conditions: all, any or none of them hold; groups stand in each other. */
import { Group, NativeSelect, Paper, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { segmentLimits } from 'virtual:contract'
import type { Condition, Group as ConditionGroup } from '../../../../src/contract/segments.ts'
import { Icon } from '../../parts/Icon.tsx'
import { IconButton, ToolButton } from '../../parts/IconButton.tsx'
import { keyOf } from '../../parts/key-of.ts'
import { ConditionRow } from './ConditionRow.tsx'
import { groupKinds, groupOf, isGroup, kindOfGroup, newCondition, partsOf } from './conditions.ts'

interface GroupEditorProps {
  group: ConditionGroup
  onChange: (group: ConditionGroup) => void
  /** Absent for the whole definition, which is not removed. */
  onRemove?: () => void
  level?: number
  disabled: boolean
}

export function GroupEditor({ group, onChange, onRemove, level = 1, disabled }: GroupEditorProps) {
  const { t } = useTranslation('segments')
  const kind = kindOfGroup(group)
  const parts = partsOf(group)
  const set = (conditions: Condition[]): void => onChange(groupOf(kind, conditions))
  return (
    <Paper component="fieldset" withBorder p="sm" m={0} disabled={disabled}>
      <Text component="legend" px={4} size="sm" c="dimmed">
        {t(keyOf('group', kind))}
      </Text>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <NativeSelect
            aria-label={t('groupKind')}
            value={kind}
            disabled={disabled}
            data={groupKinds.map((each) => ({ value: each, label: t(keyOf('group', each)) }))}
            onChange={({ currentTarget: { value } }) =>
              onChange(groupOf(groupKinds.find((each) => each === value) ?? 'all', parts))
            }
          />
          {onRemove && !disabled && (
            <ToolButton label={t('removeGroup')} onClick={onRemove}>
              <Icon name="trash" size={16} />
            </ToolButton>
          )}
        </Group>
        {parts.length === 0 && <Text c="dimmed">{t(keyOf('nothing', kind))}</Text>}
        {parts.map((part, at) => (
          <Part
            // Conditions have no name of their own, and stay in their order.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            part={part}
            level={level}
            disabled={disabled}
            onChange={(next) => set(parts.map((each, index) => (index === at ? next : each)))}
            onRemove={() => set(parts.filter((_, index) => index !== at))}
          />
        ))}
        {!disabled && (
          <Group gap="xs">
            <IconButton
              size="xs"
              variant="default"
              icon="plus"
              label={t('addCondition')}
              onClick={() => set([...parts, newCondition('tag')])}
            />
            {level < segmentLimits.levelsMax && (
              <IconButton
                size="xs"
                variant="subtle"
                icon="plus"
                label={t('addGroup')}
                onClick={() => set([...parts, { any: [newCondition('tag')] }])}
              />
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

interface PartProps {
  part: Condition
  level: number
  disabled: boolean
  onChange: (part: Condition) => void
  onRemove: () => void
}

function Part({ part, level, ...rest }: PartProps) {
  return isGroup(part) ? (
    <GroupEditor group={part} level={level + 1} {...rest} />
  ) : (
    <ConditionRow condition={part} {...rest} />
  )
}
