/** What the user may do in the workspace that is shown. */
import { useParams } from '@tanstack/react-router'
import type { Role } from '../../../src/contract/roles.ts'
import { useAsk } from './use-ask.ts'

const ranks: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 }

/** False while it is not known yet. What it hides is refused by the service all the same. */
export function useMay(role: Role): boolean {
  const { slug } = useParams({ strict: false })
  const { data } = useAsk('listMyWorkspaces')
  const mine = data?.data.find((workspace) => workspace.slug === slug)
  return mine !== undefined && ranks[mine.role] >= ranks[role]
}
