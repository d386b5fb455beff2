/** Reads the data that every invitation link carries. */
import type { Role } from '../../contract/roles.ts'
import type { UserLinkRow } from '../../db/users/user-links.ts'

export function readInvitation({ email, role, workspaceId }: UserLinkRow): {
  email: string
  role: Role
  workspaceId: number
} {
  if (email === null || role === null || workspaceId === null)
    throw new Error('An invitation lacks what it is about')
  return { email, role, workspaceId }
}
