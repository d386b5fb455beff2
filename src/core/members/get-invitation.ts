/**
 * GET /invitations/{token}: the workspace, role and inviter of an invitation.
 *
 * Whether the address has an account is shown only to a reader of its mailbox, or to that user.
 * The maker of a link that is handed over could otherwise try any address.
 */
import { findUserByEmail } from '../../db/users/users.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { findLink } from '../identity/user-link.ts'
import { readInvitation } from './read-invitation.ts'
import type { Verb } from '../verb.ts'

export const getInvitation: Verb<'getInvitation'> = async (ctx, { params }) => {
  const link = await findLink(ctx.db, 'invitation', params.token)
  const { email, role, workspaceId } = readInvitation(link)
  const [{ slug, name }, user] = await Promise.all([
    workspaceSettings(ctx.db, workspaceId),
    findUserByEmail(ctx.db, email),
  ])
  return {
    body: {
      ...{ object: 'invitation', email, role, workspace: { slug, name } },
      invited_by: link.madeBy,
      expires_at: link.expiresAt.toISOString(),
      has_account: link.mailed || ctx.user?.email === email ? user !== null : null,
    },
  }
}
