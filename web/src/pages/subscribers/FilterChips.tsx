/** The conditions of the list as chips; each opens to be changed, and together they are a segment. */
import { Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SingleCondition } from '../../../../src/contract/segments.ts'
import { useAsk } from '../../api/use-ask.ts'
import { FilterChip } from '../../parts/table/FilterChip.tsx'
import { hasAllValues, newCondition } from '../segments/conditions.ts'
import { ConditionRow } from '../segments/ConditionRow.tsx'
import { sayCondition } from '../segments/say-condition.ts'
import type { Conditions } from './use-conditions.ts'

export function FilterChips({ conditions, isAny, set }: Conditions) {
  const { t } = useTranslation('subscribers')
  const { t: words } = useTranslation('segments')
  const { data } = useAsk('listSubscriberFields')
  const labelOf = (key: string): string =>
    data?.data.find((field) => field.key === key)?.label ?? key
  return (
    <Group gap="xs" role="group" aria-label={t('filters')}>
      {conditions.map((condition, at) => (
        <Chip
          key={JSON.stringify(condition)}
          label={sayCondition(condition, { t: words, contacts: t, labelOf })}
          condition={condition}
          onApply={(next) => set(conditions.with(at, next), isAny)}
          onRemove={() => set(conditions.toSpliced(at, 1), isAny)}
        />
      ))}
      <Chip
        key={`new ${conditions.length}`}
        label={t('addFilter')}
        isNew
        condition={newCondition('tag')}
        onApply={(next) => set([...conditions, next], isAny)}
      />
      {conditions.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label={words('groupKind')}
          value={isAny ? 'any' : 'all'}
          data={[
            { value: 'all', label: words('groupAll') },
            { value: 'any', label: words('groupAny') },
          ]}
          onChange={(event) => set(conditions, event.currentTarget.value === 'any')}
        />
      )}
    </Group>
  )
}

interface ChipProps {
  label: string
  isNew?: boolean
  condition: SingleCondition
  onApply: (condition: SingleCondition) => void
  onRemove?: () => void
}

function Chip({ label, isNew = false, condition, onApply, onRemove }: ChipProps) {
  const [draft, setDraft] = useState(condition)
  return (
    <FilterChip
      {...{ label, isNew }}
      apply={{ isReady: hasAllValues(draft), onApply: () => onApply(draft) }}
      onClose={() => setDraft(condition)}
    >
      {(close) => (
        <ConditionRow
          condition={draft}
          onChange={setDraft}
          onRemove={onRemove ?? close}
          disabled={false}
        />
      )}
    </FilterChip>
  )
}
