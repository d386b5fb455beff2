/** A text of a row that members change in place: it is saved when the input loses the focus. */
import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure } from '../../../parts/Failure.tsx'
import { UserText } from '../../../parts/UserText.tsx'

interface WordsInPlaceProps {
  /** Screen readers name the input by this. */
  label: string
  /** Empty: there is none. */
  stored: string
  placeholder?: string
  maxLength: number
  mayEdit: boolean
  error: Error | null
  /** Null: the text was taken out. */
  onSave: (words: string | null) => void
}

export function WordsInPlace(props: WordsInPlaceProps) {
  const { label, stored, placeholder, maxLength, mayEdit, error, onSave } = props
  const [words, setWords] = useState(stored)
  if (!mayEdit) return <UserText>{stored || (placeholder ?? '')}</UserText>
  return (
    <Stack gap={4}>
      <TextInput
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onBlur={() => {
          if (words.trim() !== stored) onSave(words.trim() || null)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
      <Failure error={error} />
    </Stack>
  )
}
