/** POST /invitations: invites a user to the workspace. */
import { readLoginEmail } from '../identity/read-login-email.ts'
import { invite } from './invite.ts'
import type { Verb } from '../verb.ts'

export const inviteMember: Verb<'inviteMember'> = async (ctx, { body }) => {
  const email = readLoginEmail(body.email)
  const captures = ctx.providers.of(ctx.workspaceId).captures
  const invited = await ctx.db.transaction((tx) =>
    invite(ctx, tx, { email, role: body.role, byMail: true, captures }),
  )
  const { id, mailed, url, shown } = invited
  if (mailed) ctx.wake('transactional')
  // Only a reader of the mailbox should accept, so no other user sees the link, unless no mail can
  // reach a mailbox.
  return {
    body: {
      object: 'invitation',
      id,
      email,
      mailed,
      link: shown === null ? null : url,
      shown_because: shown,
    },
  }
}
