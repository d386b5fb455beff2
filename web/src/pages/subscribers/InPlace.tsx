/**
 * A fact of a record that a member edits in place: its input replaces it until it is saved, and has
 * the focus; afterwards its button has it again.
 */
import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../api/use-role.ts'
import { Form } from '../../parts/Form.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { ToolButton } from '../../parts/IconButton.tsx'
import { useForm } from '../../parts/use-form.ts'

interface InPlaceProps<Value> {
  label: string
  shown: ReactNode
  value: Value
  /** The input shows a refusal that this throws. */
  onSave: (value: Value) => Promise<unknown>
  children: (field: { value: Value; onChange: (value: Value) => void }) => ReactNode
}

export function InPlace<Value>(props: InPlaceProps<Value>) {
  const { t } = useTranslation('subscribers')
  const { label, shown } = props
  const [isOpen, { open, close }] = useDisclosure()
  const [hasClosed, setHasClosed] = useState(false)
  const mayEdit = useMay('editor')
  const onClose = (): void => {
    setHasClosed(true)
    close()
  }
  if (isOpen) return <Editing {...props} onClose={onClose} />
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Group component="dd" m={0} gap={4} wrap="nowrap">
        <Text component="div">{shown}</Text>
        {mayEdit && (
          <ToolButton
            label={t('editPart', { part: label })}
            size="sm"
            onClick={open}
            autoFocus={hasClosed}
          >
            <Icon name="edit" size={14} />
          </ToolButton>
        )}
      </Group>
    </div>
  )
}

function Editing<Value>({
  label,
  value,
  onSave,
  onClose,
  children,
}: InPlaceProps<Value> & { onClose: () => void }) {
  const { t } = useTranslation('subscribers')
  const form = useForm({ value }, async ({ value: now }) => {
    await onSave(now)
    onClose()
  })
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), [])
  return (
    <div>
      <VisuallyHidden component="dt">{label}</VisuallyHidden>
      <Box
        component="dd"
        ref={box}
        m={0}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // The sheet around it stays open.
          event.stopPropagation()
          if (!isListOpen(event.target)) onClose()
        }}
      >
        <Form form={form} verb={t('save')} button="start" gap="xs" onCancel={onClose}>
          {children(form.pick('value'))}
        </Form>
      </Box>
    </div>
  )
}

/** Escape closes the list of an input, and leaves what was typed. */
const isListOpen = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.dataset['expanded'] === 'true'
