/** Asks before a grave act: what will happen, and for what is irreversible a word to be typed. */
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { FormDialog, type DialogProps } from './FormDialog.tsx'
import { IconButton, type IconButtonProps } from './IconButton.tsx'

interface QuestionProps {
  title: string
  /** The children say what will happen. */
  children: ReactNode
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

/** `verb`: what the button does, such as "Revoke the key". */
export function Confirm({
  children,
  disabled = false,
  typed,
  onConfirm,
  ...dialog
}: DialogProps & QuestionProps & { verb: string }) {
  const { t } = useTranslation('shell')
  return (
    <FormDialog
      {...dialog}
      initial={{ word: '' }}
      onSubmit={onConfirm}
      isReady={({ word }) => !disabled && (typed === undefined || word === typed)}
    >
      {(form) => (
        <>
          <div>{children}</div>
          {typed !== undefined && (
            <TextInput label={t('typeToConfirm', { word: typed })} {...form.text('word')} autoComplete="off" data-autofocus />
          )}
        </>
      )}
    </FormDialog>
  )
}

interface ConfirmButtonProps extends QuestionProps, Pick<IconButtonProps, 'label' | 'icon' | 'size' | 'variant'> {
  /** Of the button, where others beside it have the same label. */
  name?: string
  /** Of the button in the dialog; absent: the label. */
  verb?: string
  /** Of the button that asks; the other `disabled` is that of the dialog. */
  inactive?: boolean
}

/** A button that asks first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, icon, size, variant = 'default', name, verb, inactive, ...question } = props
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <IconButton {...{ label, icon, size, variant }} onClick={open} disabled={inactive} aria-label={name} />
      <Confirm opened={opened} onClose={close} verb={verb ?? label} {...question} />
    </>
  )
}
