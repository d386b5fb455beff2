/** Chooses what of the reader stands in a text, and what stands there for readers of whom it is not known. */
import { ActionIcon, Button, Popover, Select, Stack, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useEditor } from './editor-context.ts'

interface MergePickerProps {
  /** What it is put into, for screen readers. */
  into: string
  onPick: (tag: string) => void
  /** The reader's own addresses too: not in a subject. */
  withAddresses?: boolean
}

const names = ['firstName', 'lastName', 'email'] as const
const addresses = ['unsubscribe_url', 'view_url'] as const

export function MergePicker({ into, onPick, withAddresses = false }: MergePickerProps) {
  const { t } = useTranslation('drafts')
  const { fields } = useEditor()
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState<string>('firstName')
  const [fallback, setFallback] = useState('')
  const isAddress = addresses.some((address) => address === name)
  const insert = (): void => {
    onPick(writeTag(name, isAddress ? '' : fallback))
    setOpened(false)
    setFallback('')
  }
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus withArrow shadow="md" width={280} returnFocus>
      <Popover.Target>
        <Tooltip label={t('mergeTag')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('mergeTagInto', { into })}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => setOpened(!opened)}
          >
            <span aria-hidden>{'{ }'}</span>
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Select
            label={t('mergeValue')}
            data={[
              { group: t('mergePerson'), items: names.map((value) => ({ value, label: t(`merge_${value}`) })) },
              ...(fields.length > 0
                ? [{ group: t('mergeFields'), items: fields.map((key) => ({ value: `fields.${key}`, label: key })) }]
                : []),
              ...(withAddresses
                ? [{ group: t('mergeAddresses'), items: addresses.map((value) => ({ value, label: t(`merge_${value}`) })) }]
                : []),
            ]}
            value={name}
            onChange={(value) => setName(value ?? 'firstName')}
            allowDeselect={false}
            searchable
            comboboxProps={{ withinPortal: false }}
          />
          {!isAddress && (
            <TextInput
              label={t('mergeDefault')}
              description={t('mergeDefaultWhy')}
              value={fallback}
              maxLength={200}
              onChange={(event) => setFallback(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') insert()
              }}
            />
          )}
          <Button size="xs" onClick={insert}>
            {t('mergeInsert')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** As the service reads it: a default stands in quotes of the kind that it does not hold. */
function writeTag(name: string, fallback: string): string {
  if (fallback === '') return `{{${name}}}`
  const quote = fallback.includes('"') ? "'" : '"'
  return `{{${name} | default: ${quote}${fallback.replaceAll(quote, '’')}${quote}}}`
}
