/** GET /invitations: the pending invitations. */
import { invitationsOf } from '../../db/users/user-links.ts'
import type { Verb } from '../verb.ts'

export const listInvitations: Verb<'listInvitations'> = async (ctx) => {
  const invitations = await invitationsOf(ctx.db, ctx.workspaceId)
  const data = invitations.map(({ id, email, role, madeBy, createdAt, expiresAt }) => ({
    ...{ id, email: email ?? '', role: role ?? 'viewer', invited_by: madeBy },
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }))
  return { body: { object: 'list', data } }
}
