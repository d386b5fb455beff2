/** These hooks read the workspace that the page shows, and what the user's role allows there. */
import { useParams } from '@tanstack/react-router'
import type { Role } from '../../../src/contract/roles.ts'
import { useAsk, type ItemOf } from './use-ask.ts'

const ranks: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 }

/**
 * The workspace that the page shows, as one of the user's own; undefined until the answer is there,
 * or without membership.
 */
export function useWorkspace(): ItemOf<'listMyWorkspaces'> | undefined {
  const { slug } = useParams({ strict: false })
  const { data } = useAsk('listMyWorkspaces')
  return data?.data.find((workspace) => workspace.slug === slug)
}

/**
 * False until the role is known. The page only hides a control; the service refuses its operation
 * anyway.
 */
export function useMay(role: Role): boolean {
  const mine = useWorkspace()
  return mine !== undefined && ranks[mine.role] >= ranks[role]
}

/** What the menus of the settings depend on. */
export function useReader(): { isOwner: boolean; ownsAll: boolean } {
  const isOwner = useMay('owner')
  return { isOwner, ownsAll: useWorkspace()?.owns_all === true }
}
