/** The button of a row that deletes its item, once its effect was read. */
import { ActionIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Confirm } from '../../../parts/Confirm.tsx'
import { Icon } from '../../../parts/Icon.tsx'

interface DeleteItemProps {
  /** The button has no words of its own: it names its item. */
  label: string
  title: string
  verb: string
  onConfirm: () => Promise<unknown>
  children: ReactNode
}

export function DeleteItem({ label, children, ...question }: DeleteItemProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={open}>
        <Icon name="trash" size={16} />
      </ActionIcon>
      <Confirm opened={opened} onClose={close} danger {...question}>
        {children}
      </Confirm>
    </>
  )
}
