/** The user chooses the type of a custom field, and writes the choices of a choice. */
import { Select, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { fieldTypes } from 'virtual:contract'
import type { FieldType } from '../../../../src/contract/field-types.ts'
import { keyOf } from '../../parts/key-of.ts'

export interface TypeDraft {
  type: FieldType
  /** The choices, one a line. */
  lines: string
}

export function TypeFields({
  value,
  onChange,
}: {
  value: TypeDraft
  onChange: (draft: TypeDraft) => void
}) {
  const { t } = useTranslation('subscribers')
  return (
    <>
      <Select
        label={t('fieldType')}
        data={fieldTypes.map((type) => ({ value: type, label: t(keyOf('fieldType', type)) }))}
        value={value.type}
        onChange={(chosen) => {
          const type = fieldTypes.find((fieldType) => fieldType === chosen)
          if (type) onChange({ ...value, type })
        }}
        allowDeselect={false}
      />
      {value.type === 'choice' && (
        <Textarea
          label={t('fieldChoices')}
          description={t('fieldChoicesWhy')}
          autosize
          minRows={3}
          maxRows={12}
          value={value.lines}
          onChange={(event) => onChange({ ...value, lines: event.currentTarget.value })}
        />
      )}
    </>
  )
}
