/** A filter of a page that takes one of a few values; it lives in the page's address. */
import { NativeSelect, Select } from '@mantine/core'
import { useFilter } from './use-filter.ts'

interface FilterSelectProps {
  name: string
  label: string
  /** The label stands above the field. Absent means only screen readers get it. */
  withLabel?: boolean
  /** The option that filters nothing has this label. */
  any: string
  options: readonly { value: string; label: string }[]
  /** The width of a choice that we draw, in pixels. Absent means the browser's own choice. */
  w?: number
}

export function FilterSelect({
  name,
  label,
  withLabel = false,
  any,
  options,
  w,
}: FilterSelectProps) {
  const [value, set] = useFilter(name)
  const common = {
    ...(withLabel ? { label } : { 'aria-label': label }),
    value: options.find((option) => option.value === value)?.value ?? '',
    data: [{ value: '', label: any }, ...options],
  }
  if (w !== undefined)
    return <Select {...common} w={w} onChange={(next) => set(next ?? '')} allowDeselect={false} />
  return <NativeSelect {...common} onChange={(event) => set(event.currentTarget.value)} />
}
