/**
 * A dialog with a form: its values start again each time it opens, and it closes when its act is
 * done.
 */
import { Modal, type ModalProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Form, type FormProps } from './Form.tsx'
import { useForm, type FormState } from './use-form.ts'

export interface DialogProps {
  opened: boolean
  onClose: () => void
}

interface FormDialogProps<Values>
  extends DialogProps, Omit<FormProps, 'form' | 'button' | 'disabled' | 'failure' | 'children'> {
  title: string
  size?: ModalProps['size']
  initial: Values
  /** The dialog shows an error that this throws. */
  onSubmit: (values: Values) => Promise<unknown>
  /** False if there is nothing to send. */
  isReady?: (values: Values) => boolean
  /** This node replaces the refusal. Undefined means the dialog shows the refusal. */
  failureOf?: (error: unknown) => ReactNode
  children: (form: FormState<Values>) => ReactNode
}

export function FormDialog<Values extends object>({
  title,
  size,
  ...fields
}: FormDialogProps<Values>) {
  const { opened, onClose } = fields
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={size}>
      <Fields {...fields} />
    </Dialog>
  )
}

function Fields<Values extends object>({
  initial,
  onSubmit,
  onClose,
  isReady,
  failureOf,
  children,
  ...rest
}: Omit<FormDialogProps<Values>, 'title' | 'size'>) {
  const form = useForm(initial, async (values) => {
    await onSubmit(values)
    onClose()
  })
  return (
    <Form
      {...rest}
      form={form}
      disabled={isReady && !isReady(form.values)}
      failure={failureOf?.(form.error)}
      onCancel={onClose}
    >
      {children(form)}
    </Form>
  )
}

interface PlainProps extends DialogProps {
  title: string
  size?: ModalProps['size']
  children: ReactNode
}

/** A dialog whose content is mounted again each time it opens. */
export function Dialog({ opened, children, ...modal }: PlainProps) {
  return (
    <Modal opened={opened} {...modal}>
      {opened && children}
    </Modal>
  )
}

/**
 * Shows a secret for the only time. Only its own button closes it, because a mistaken close would
 * lose the secret.
 */
export function OnceDialog(props: PlainProps) {
  return (
    <Modal {...props} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false} />
  )
}
