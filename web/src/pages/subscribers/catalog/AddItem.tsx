/** The form above a list that adds an item: its inputs in one line, then the button. */
import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failure } from '../../../parts/Failure.tsx'
import type { FormState } from '../../../parts/use-form.ts'

interface AddItemProps {
  form: Pick<FormState<object>, 'error' | 'isAtField' | 'isBusy' | 'submit'>
  verb: string
  /** A problem that is none of one input. */
  problem?: ReactNode
  children: ReactNode
}

export function AddItem({ form, verb, problem, children }: AddItemProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.submit()
      }}
    >
      <Stack gap="sm" maw={960}>
        <Group align="flex-start" gap="sm">
          {children}
          <Button type="submit" loading={form.isBusy} mt={{ base: 0, xs: 25 }}>
            {verb}
          </Button>
        </Group>
        {problem}
        {!form.isAtField && <Failure error={form.error} />}
      </Stack>
    </form>
  )
}
