/** A form shows its fields, the refusal, and the button that sends it. */
import { Button, Group, Stack, type StackProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './Failure.tsx'
import type { FormState } from './use-form.ts'

export interface FormProps extends Pick<StackProps, 'maw' | 'gap'> {
  form: Pick<FormState<object>, 'error' | 'isAtField' | 'isBusy' | 'submit'>
  /** The button has this label. Null if this reader has no button. */
  verb: string | null
  /** The button stands at the end as in dialogs, at the start, or over the whole width. */
  button?: 'end' | 'start' | 'wide'
  variant?: 'default' | 'filled'
  danger?: boolean
  /** There is nothing to send. */
  disabled?: boolean
  /** The page reports invalid input; the browser does not. */
  noValidate?: boolean
  /** The form shows this in place of the refusal. */
  failure?: ReactNode
  onCancel?: () => void
  /**
   * The button that changes nothing has this label where "Cancel" could mean the act; absent:
   * "Cancel".
   */
  keep?: string
  children: ReactNode
}

export function Form({
  form,
  failure,
  verb,
  noValidate,
  maw,
  gap,
  children,
  ...buttons
}: FormProps) {
  return (
    <form
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <Stack maw={maw} gap={gap}>
        {children}
        {failure ?? (!form.isAtField && <Failure error={form.error} />)}
        {verb !== null && <Buttons isBusy={form.isBusy} verb={verb} {...buttons} />}
      </Stack>
    </form>
  )
}

interface ButtonsProps extends Pick<
  FormProps,
  'button' | 'variant' | 'danger' | 'disabled' | 'onCancel' | 'keep'
> {
  isBusy: boolean
  verb: string
}

function Buttons({
  isBusy,
  verb,
  button = 'end',
  variant,
  danger,
  disabled,
  onCancel,
  keep,
}: ButtonsProps) {
  const { t } = useTranslation('shell')
  const submit = (
    <Button
      type="submit"
      variant={variant}
      color={danger ? 'red.8' : undefined}
      loading={isBusy}
      disabled={disabled}
    >
      {verb}
    </Button>
  )
  if (button === 'wide') return submit
  return (
    <Group justify={button === 'end' ? 'flex-end' : undefined}>
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {keep ?? t('cancel')}
        </Button>
      )}
      {submit}
    </Group>
  )
}
