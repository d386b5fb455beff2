/** A filter of a page that takes one of a few values; it lives in the page's address. */
import { NativeSelect } from '@mantine/core'
import { useFilter } from './use-filter.ts'

interface FilterSelectProps {
  name: string
  label: string
  /** The label stands above the field; absent: it is said alone. */
  withLabel?: boolean
  /** What stands for no choice. */
  any: string
  options: readonly { value: string; label: string }[]
}

export function FilterSelect({ name, label, withLabel = false, any, options }: FilterSelectProps) {
  const [value, set] = useFilter(name)
  const known = options.find((option) => option.value === value)?.value ?? ''
  return (
    <NativeSelect
      {...(withLabel ? { label } : { 'aria-label': label })}
      value={known}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: any }, ...options]}
    />
  )
}
