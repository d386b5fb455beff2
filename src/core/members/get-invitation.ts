/**
 * GET /invitations/{token}: into which workspace, as what, by whom.
 *
 * Whether the address is somebody's already is told to who reads its mailbox, or is that person: a link that was handed over may be
 * looked at by whoever made it, with any address at all.
 */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { findUserByEmail } from '../../db/users/users.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { findLink } from '../identity/user-link.ts'
import { readInvitation } from './read-invitation.ts'

export async function getInvitation(ctx: CallContext, { params }: InputOf<'getInvitation'>): Promise<AnswerOf<'getInvitation'>> {
  const link = await findLink(ctx.db, 'invitation', params.token)
  const { email, role, workspaceId } = readInvitation(link)
  const [{ slug, name }, person] = await Promise.all([workspaceSettings(ctx.db, workspaceId), findUserByEmail(ctx.db, email)])
  return {
    body: {
      ...{ object: 'invitation', email, role, workspace: { slug, name } },
      invited_by: link.madeBy,
      expires_at: link.expiresAt.toISOString(),
      has_account: link.mailed || ctx.user?.email === email ? person !== null : null,
    },
  }
}
