/** Asks before what cannot be taken lightly: what will happen, and for what is irreversible a word to be typed. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './Failure.tsx'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: string
  /** What will happen. */
  children: ReactNode
  /** What the button does: "Revoke the key". */
  verb: string
  danger?: boolean
  /** Of the button that leaves all as it is, where "Cancel" could be taken for the act; absent: "Cancel". */
  keep?: string
  /** There is nothing to be done. */
  disabled?: boolean
  /** Must be typed first, because what follows cannot be undone. */
  typed?: string
  /** The dialog closes when it is done; what it throws is shown. */
  onConfirm: () => Promise<unknown>
}

export function Confirm(props: ConfirmProps): ReactNode {
  const { opened, onClose, title } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      {opened && <Question {...props} />}
    </Modal>
  )
}

function Question({ onClose, children, verb, danger, keep, disabled = false, typed, onConfirm }: ConfirmProps): ReactNode {
  const { t } = useTranslation('shell')
  const [word, setWord] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const confirm = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void confirm()
      }}
    >
      <Stack>
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            label={t('typeToConfirm', { word: typed })}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {keep ?? t('cancel')}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red.8' : undefined}
            loading={busy}
            disabled={disabled || (typed !== undefined && word !== typed)}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
