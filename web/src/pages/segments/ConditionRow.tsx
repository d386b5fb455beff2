/** One condition: what it is about, and the values that this takes. */
import { Group, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SingleCondition } from '../../../../src/contract/segments.ts'
import { Icon } from '../../parts/Icon.tsx'
import { ToolButton } from '../../parts/IconButton.tsx'
import { keyOf } from '../../parts/key-of.ts'
import {
  kindOfSingle,
  newCondition,
  singleKinds,
  isEngagement,
  type ValueProps,
} from './conditions.ts'
import { DateValues } from './DateValues.tsx'
import { EngagementValues } from './EngagementValues.tsx'
import { FieldValues } from './FieldValues.tsx'
import { SourceValues, TagValue, WordValue } from './WordValues.tsx'

export function ConditionRow({
  condition,
  onChange,
  onRemove,
  disabled,
}: ValueProps<SingleCondition> & { onRemove: () => void }) {
  const { t } = useTranslation('segments')
  const kind = kindOfSingle(condition)
  return (
    <Group gap="xs" align="flex-start" role="group" aria-label={t(keyOf('about', kind))}>
      <NativeSelect
        aria-label={t('condition')}
        value={kind}
        disabled={disabled}
        data={singleKinds.map((each) => ({ value: each, label: t(keyOf('about', each)) }))}
        onChange={({ currentTarget: { value } }) =>
          onChange(newCondition(singleKinds.find((each) => each === value) ?? 'tag'))
        }
      />
      <Values condition={condition} onChange={onChange} disabled={disabled} />
      {!disabled && (
        <ToolButton label={t('removeCondition')} onClick={onRemove} mt={4}>
          <Icon name="trash" size={16} />
        </ToolButton>
      )}
    </Group>
  )
}

function Values({ condition, ...rest }: ValueProps<SingleCondition>) {
  if ('tag' in condition) return <TagValue condition={condition} {...rest} />
  if ('field' in condition) return <FieldValues condition={condition} {...rest} />
  if ('status' in condition || 'language' in condition)
    return <WordValue condition={condition} {...rest} />
  if ('source' in condition) return <SourceValues condition={condition} {...rest} />
  if (isEngagement(condition)) return <EngagementValues condition={condition} {...rest} />
  return <DateValues condition={condition} {...rest} />
}
