/** A filter of a list as a chip: it says what it filters, and opens to be changed. */
import { Button, Popover, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../Icon.tsx'

interface FilterChipProps {
  label: string
  /** It filters nothing yet. */
  isNew?: boolean
  /** Absent: what is chosen in it holds at once. */
  apply?: { isReady: boolean; onApply: () => void }
  /** It was closed: what was not applied is dropped. */
  onClose?: () => void
  children: (close: () => void) => ReactNode
}

export function FilterChip({ label, isNew = false, apply, onClose, children }: FilterChipProps) {
  const { t } = useTranslation('shell')
  const [opened, setOpened] = useState(false)
  const close = (): void => {
    setOpened(false)
    onClose?.()
  }
  return (
    <Popover
      opened={opened}
      onChange={close}
      onDismiss={close}
      trapFocus
      returnFocus
      position="bottom-start"
    >
      <Popover.Target>
        <Button
          size="xs"
          radius="xl"
          variant={isNew ? 'default' : 'light'}
          leftSection={isNew && <Icon name="plus" size={14} />}
          onClick={() => (opened ? close() : setOpened(true))}
          styles={{ label: { maxWidth: '18rem' } }}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Stack
          component="form"
          gap="sm"
          maw="min(34rem, 88vw)"
          onSubmit={(event) => {
            event.preventDefault()
            if (apply?.isReady === false) return
            setOpened(false)
            apply?.onApply()
          }}
        >
          {children(close)}
          {apply && (
            <Button size="xs" type="submit" disabled={!apply.isReady}>
              {t('applyFilter')}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
