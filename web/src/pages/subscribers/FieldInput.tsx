/**
 * The input of one custom field, by its type. A value that came before the type stays shown as it
 * is until the user writes another.
 */
import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import type { ItemOf } from '../../api/use-ask.ts'
import { keyOf } from '../../parts/key-of.ts'
import { fitsType } from './field-type.ts'

interface FieldInputProps {
  field: ItemOf<'listSubscriberFields'>
  value: string
  onChange: (value: string) => void
}

export function FieldInput({ field, value, onChange }: FieldInputProps) {
  const { t } = useTranslation('subscribers')
  const { type } = field
  // An input for days would show nothing of a value that is none.
  const [cameMisfit] = useState(!fitsType(field, value))
  const isMisfit = !fitsType(field, value)
  const shared = {
    label: field.label ?? field.key,
    description: isMisfit ? t('fieldMisfit', { type: t(keyOf('fieldType', type)) }) : undefined,
  }
  if (type === 'boolean' || type === 'choice') {
    const known =
      type === 'choice'
        ? field.choices.map((choice) => ({ value: choice, label: choice }))
        : (['true', 'false'] as const).map((each) => ({
            value: each,
            label: t(keyOf('fieldIs', each)),
          }))
    return (
      <Select
        {...shared}
        data={isMisfit ? [...known, { value, label: value }] : known}
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable
        searchable={known.length > 10}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      type={type === 'date' && !cameMisfit ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={value}
      maxLength={limits.fieldValueMax}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
