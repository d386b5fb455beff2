/** POST /invitations: invites somebody into the workspace. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { readEmail } from '../people/read-email.ts'
import { invite } from './invite.ts'

export async function inviteMember(ctx: CallContext, { body }: InputOf<'inviteMember'>): Promise<AnswerOf<'inviteMember'>> {
  const email = readEmail(body.email)
  const { id, mailed, url } = await ctx.db.transaction((tx) => invite(ctx, tx, { email, role: body.role, byMail: true }))
  if (mailed) ctx.wake('transactional')
  // Who may read the mailbox accepts; nobody else is to see the link.
  return { body: { object: 'invitation', id, email, mailed, link: mailed ? null : url } }
}
