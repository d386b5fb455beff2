/**
 * Asks before a grave act, and names its effect; for an irreversible one, the user also types a
 * word.
 */
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
  /**
   * The button that changes nothing has this label where "Cancel" could mean the act; absent:
   * "Cancel".
   */
  keep?: string
  /** There is nothing to be done. */
  disabled?: boolean
  /** The user must type this first, because the act is irreversible. */
  typed?: string
  /** The dialog closes when it is done, and shows an error that it throws. */
  onConfirm: () => Promise<unknown>
}

/** The button has the label `verb`, such as "Revoke the key". */
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
            <TextInput
              label={t('typeToConfirm', { word: typed })}
              {...form.text('word')}
              autoComplete="off"
              data-autofocus
            />
          )}
        </>
      )}
    </FormDialog>
  )
}

interface ConfirmButtonProps
  extends QuestionProps, Pick<IconButtonProps, 'label' | 'icon' | 'size' | 'variant'> {
  /** The button has this name for screen readers where others beside it have the same label. */
  name?: string
  /** The button in the dialog has this label. Absent means `label`. */
  verb?: string
  /** True disables the button that asks; `disabled` is for the dialog. */
  inactive?: boolean
}

/** A button that asks first. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, icon, size, variant = 'default', name, verb, inactive, ...question } = props
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <IconButton
        {...{ label, icon, size, variant }}
        onClick={open}
        disabled={inactive}
        aria-label={name}
      />
      <Confirm opened={opened} onClose={close} verb={verb ?? label} {...question} />
    </>
  )
}
