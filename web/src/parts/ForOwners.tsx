/** A part of a page that only owners may read; other members read a note that says so. */
import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAsk } from '../api/use-ask.ts'
import { useMay } from '../api/use-role.ts'
import { Icon } from './Icon.tsx'

/** `otherwise`: what others read. Nothing is shown until the user's role is known. */
export function ForOwners({ children, otherwise }: { children: ReactNode; otherwise: string }) {
  const isOwner = useMay('owner')
  const { data } = useAsk('listMyWorkspaces')
  if (isOwner) return children
  if (!data) return null
  return (
    <Alert color="gray" icon={<Icon name="help" />}>
      {otherwise}
    </Alert>
  )
}
