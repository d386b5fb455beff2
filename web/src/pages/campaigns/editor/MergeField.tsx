/** The input takes plain words with merge tags, which it inserts at the cursor. */
import {
  ActionIcon,
  Button,
  Popover,
  Select,
  Stack,
  TextInput,
  Textarea,
  Tooltip,
} from '@mantine/core'
import { useRef, useState, type ChangeEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocks } from './editor-context.ts'
import { fallbackMax, writeTag } from './merge-tag.ts'

interface MergeFieldProps {
  id?: string
  label: string
  description?: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  maxLength?: number
  /** The input has at least so many lines. Absent means one line. */
  rows?: number
  /** The input is for code: equal widths, no corrections. */
  isCode?: boolean
  withAddresses?: boolean
}

export function MergeField({
  value,
  onChange,
  rows,
  isCode = false,
  withAddresses = false,
  ...rest
}: MergeFieldProps) {
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
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange(event.currentTarget.value),
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

/** The input takes the target of a link: http, https or mailto, with merge tags. */
export function AddressField({
  label,
  value,
  onChange,
}: Pick<MergeFieldProps, 'label' | 'value' | 'onChange'>) {
  return (
    <MergeField
      label={label}
      placeholder="https://"
      value={value}
      onChange={onChange}
      withAddresses
    />
  )
}

interface MergePickerProps {
  /** Screen readers announce the picker with the label of this field. */
  into: string
  onPick: (tag: string) => void
  /** The picker also offers the recipient's own links, which do not suit a subject. */
  withAddresses?: boolean
}

const names = ['firstName', 'lastName', 'email'] as const
const addresses = ['unsubscribe_url', 'view_url'] as const

/** The user chooses a field of the recipient, and a default for recipients without it. */
export function MergePicker({ into, onPick, withAddresses = false }: MergePickerProps) {
  const { t } = useTranslation('drafts')
  const { fields } = useBlocks()
  const [opened, setOpened] = useState(false)
  const [name, setName] = useState<string>('firstName')
  const [fallback, setFallback] = useState('')
  if (fields === null) return null
  const isAddress = addresses.some((address) => address === name)
  const itemsOf = (values: readonly (typeof names | typeof addresses)[number][]) =>
    values.map((value) => ({ value, label: t(`merge_${value}`) }))
  const groups = [
    { group: t('mergePerson'), items: itemsOf(names) },
    {
      group: t('mergeFields'),
      items: fields.map((key) => ({ value: `fields.${key}`, label: key })),
    },
    { group: t('mergeAddresses'), items: itemsOf(withAddresses ? addresses : []) },
  ]
  const insert = (): void => {
    onPick(writeTag(name, isAddress ? '' : fallback))
    setOpened(false)
    setFallback('')
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      trapFocus
      withArrow
      shadow="md"
      width={280}
      returnFocus
    >
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
            data={groups.filter(({ items }) => items.length > 0)}
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
              maxLength={fallbackMax}
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
