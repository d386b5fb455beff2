/**
 * The form edits a subscriber's names, tags, and each custom field that the workspace has defined.
 */
import { SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from 'virtual:contract'
import { useAsk } from '../../api/use-ask.ts'
import { FieldInput } from './FieldInput.tsx'

export interface ContactRecord {
  firstName: string
  lastName: string
  tags: string[]
  fields: Record<string, string>
}

export const emptyRecord: ContactRecord = { firstName: '', lastName: '', tags: [], fields: {} }

export function RecordFields({
  value,
  onChange,
}: {
  value: ContactRecord
  onChange: (record: ContactRecord) => void
}) {
  const { t } = useTranslation('subscribers')
  const { data } = useAsk('listSubscriberFields')
  const set = (part: Partial<ContactRecord>): void => onChange({ ...value, ...part })
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {(['firstName', 'lastName'] as const).map((name) => (
          <TextInput
            key={name}
            label={t(name)}
            value={value[name]}
            maxLength={limits.subscriberNameMax}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <TagField
        label={t('tags')}
        description={t('tagsWhy')}
        value={value.tags}
        onChange={(tags) => set({ tags })}
      />
      {data && data.data.length > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {data.data.map((field) => (
            <FieldInput
              key={field.key}
              field={field}
              value={value.fields[field.key] ?? ''}
              onChange={(text) => set({ fields: { ...value.fields, [field.key]: text } })}
            />
          ))}
        </SimpleGrid>
      )}
    </>
  )
}

interface TagFieldProps {
  label: string
  description?: string
  value: string[]
  onChange: (tags: string[]) => void
}

/** A pasted text may hold several tags; a tag that was there before may hold a comma of its own. */
function readTags(tags: string[], before: string[]): string[] {
  const read = tags.flatMap((tag) =>
    before.includes(tag)
      ? [tag]
      : tag.split(/[,;]/).map((entry) => entry.trim().slice(0, limits.subscriberTagMax)),
  )
  return [...new Set(read)].filter((tag) => tag !== '')
}

/** The field suggests known tags while the user types; Enter makes a new one. */
export function TagField({ label, description, value, onChange }: TagFieldProps) {
  const { t } = useTranslation('subscribers')
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed, 200)
  const { data } = useAsk('listSubscriberTags', { query: { q } })
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={value.length === 0 ? t('tagsHow') : ''}
      data={data?.data ?? []}
      value={value}
      onChange={(tags) => onChange(readTags(tags, value))}
      searchValue={typed}
      onSearchChange={setTyped}
      maxTags={limits.subscriberTagsMax}
      splitChars={[',', ';']}
      clearable={false}
      acceptValueOnBlur
    />
  )
}
