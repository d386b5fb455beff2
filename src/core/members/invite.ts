/** Makes an invitation: by mail where that is wished and the workspace can send, else as a link to be handed over. */
import { ApiError } from '../../contract/errors.ts'
import type { Role } from '../../contract/roles.ts'
import type { Database } from '../../db/connect.ts'
import { membersOf } from '../../db/memberships.ts'
import { dropInvitations } from '../../db/person-links.ts'
import { workspaceSettings } from '../../db/workspace-settings.ts'
import type { Context } from '../context.ts'
import { findMailer, mailPersonLink } from '../people/mail-person-link.ts'
import { makePersonLink } from '../people/person-link.ts'
import { recordAct } from '../people/record-act.ts'
import type { Actor } from '../people/record-act.ts'

export interface Invited {
  id: string
  mailed: boolean
  url: string
}

/** `email` lower-cased. An earlier invitation of theirs works no more. Throws `conflict` for who is a member already. */
export async function invite(
  ctx: Actor & Pick<Context, 'settings'>,
  tx: Database,
  { email, role, byMail }: { email: string; role: Role; byMail: boolean },
): Promise<Invited> {
  const { workspaceId, person = null } = ctx
  const members = await membersOf(tx, workspaceId)
  if (members.some((member) => member.email === email)) throw new ApiError('conflict', { reason: 'already_member' })
  await dropInvitations(tx, workspaceId, email)
  const { id, url } = await makePersonLink(ctx, tx, {
    purpose: 'invitation',
    workspaceId,
    email,
    role,
    madeBy: person?.id ?? null,
  })
  const { name: workspaceName } = await workspaceSettings(tx, workspaceId)
  const mail = { kind: 'invitation', workspaceName, invitedBy: person?.email ?? null, url } as const
  const mailer = byMail ? await findMailer(tx, workspaceId) : null
  if (mailer) await mailPersonLink(ctx, tx, mailer, { to: email, language: null, mail })
  const mailed = mailer !== null
  await recordAct(tx, ctx, { act: 'member.invited', subject: email, details: { role, mailed } })
  return { id, mailed, url }
}
