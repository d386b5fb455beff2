/** A line or several of plain words in which merge tags may stand, put where the cursor is. */
import { TextInput, Textarea } from '@mantine/core'
import { useRef, type ChangeEvent } from 'react'
import { MergePicker } from './MergePicker.tsx'

interface MergeFieldProps {
  id?: string
  label: string
  description?: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  maxLength?: number
  /** So many lines at least; absent: one line. */
  rows?: number
  /** Of a programmer: equal widths, no corrections. */
  isCode?: boolean
  withAddresses?: boolean
}

export function MergeField({ value, onChange, rows, isCode = false, withAddresses = false, ...rest }: MergeFieldProps) {
  const line = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (tag: string): void => {
    const field = line.current ?? area.current
    const at = field?.selectionStart ?? value.length
    onChange(value.slice(0, at) + tag + value.slice(field?.selectionEnd ?? at))
    window.setTimeout(() => {
      field?.focus()
      field?.setSelectionRange(at + tag.length, at + tag.length)
    })
  }
  const common = {
    ...rest,
    value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.currentTarget.value),
    rightSection: <MergePicker into={rest.label} onPick={insert} withAddresses={withAddresses} />,
    rightSectionWidth: 40,
    ...(isCode && {
      spellCheck: false,
      autoCapitalize: 'off',
      styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
    }),
  }
  if (rows === undefined) return <TextInput ref={line} {...common} />
  return (
    <Textarea
      ref={area}
      minRows={rows}
      maxRows={40}
      {...common}
      rightSectionProps={{ style: { alignItems: 'flex-start', paddingTop: 6 } }}
    />
  )
}

/** Where something leads: http, https or mailto, merge tags in it. */
export function AddressField({ label, value, onChange }: Pick<MergeFieldProps, 'label' | 'value' | 'onChange'>) {
  return <MergeField label={label} placeholder="https://" value={value} onChange={onChange} withAddresses />
}
