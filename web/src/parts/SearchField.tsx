/** The search asks while the user types, and lives in the page's address. */
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useId, useState } from 'react'
import { Icon } from './Icon.tsx'
import { useFilter } from './use-filter.ts'

export function SearchField({
  name = 'q',
  label,
  placeholder,
  suggestions,
}: {
  name?: string
  label: string
  placeholder?: string
  /** The browser offers them while the user types. */
  suggestions?: readonly { value: string; label: string }[]
}) {
  const list = useId()
  const [value, set] = useFilter(name)
  const [typed, setTyped] = useState(value)
  const setLater = useDebouncedCallback((text: string) => set(text.trim()), 250)
  const [searched, setSearched] = useState(value)
  // Going back in the browser changes what is searched for.
  if (searched !== value) {
    setSearched(value)
    if (typed.trim() !== value) setTyped(value)
  }
  const field = (
    <TextInput
      type="search"
      list={suggestions && list}
      aria-label={label}
      placeholder={placeholder ?? label}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        setLater(event.currentTarget.value)
      }}
      flex="1 1 14rem"
      maw={420}
    />
  )
  if (!suggestions) return field
  return (
    <>
      {field}
      <datalist id={list}>
        {suggestions.map((each) => (
          <option key={each.value} {...each} />
        ))}
      </datalist>
    </>
  )
}
