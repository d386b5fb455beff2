/**
 * Makes an invitation: by mail if requested and the workspace can send, else as a link to hand
 * over.
 */
import { ApiError } from '../../contract/errors.ts'
import type { Role } from '../../contract/roles.ts'
import { userLimits } from '../../contract/workspace/user-schemas.ts'
import type { Database } from '../../database/client/database.ts'
import { lockMemberRow, membersOf } from '../../db/users/memberships.ts'
import { findUserByEmail } from '../../db/users/users.ts'
import { dropInvitations, invitationsOf } from '../../db/users/user-links.ts'
import { takeTry } from '../../db/users/sign-in-limits.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { Context } from '../context.ts'
import { findMailer, mailUser, type Mailer } from '../identity/mail-user.ts'
import { makeUserLink } from '../identity/user-link.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import { sendingStatus } from '../reputation/account-status.ts'

export interface Invited {
  id: string
  /** Whether a mail was admitted: it leaves, or is captured. */
  mailed: boolean
  url: string
  /** Why the inviter gets the link to hand over. Null if it was mailed, and is not shown. */
  shown: 'asked' | 'suspended' | 'no_sender' | 'captured' | null
}

/**
 * `email` is lower-cased. It replaces an earlier invitation of the address. Throws `conflict` when
 * the address is a member already.
 */
export async function invite(
  ctx: Actor & Pick<Context, 'settings'>,
  tx: Database,
  {
    email,
    role,
    byMail,
    captures,
  }: { email: string; role: Role; byMail: boolean; captures: boolean },
): Promise<Invited> {
  const { workspaceId, user = null } = ctx
  if (user) await checkInviter(tx, workspaceId, user.id)
  const members = await membersOf(tx, workspaceId)
  if (members.some((member) => member.email === email))
    throw new ApiError('conflict', { reason: 'already_member' })
  await dropInvitations(tx, workspaceId, email)
  await checkRoom(tx, workspaceId)
  const mailer = byMail ? await takeMailer(tx, workspaceId) : 'asked'
  const mailed = typeof mailer !== 'string'
  const shown = mailed ? (captures ? 'captured' : null) : mailer
  const { id, url } = await makeUserLink(ctx, tx, {
    purpose: 'invitation',
    workspaceId,
    email,
    role,
    madeBy: user?.id ?? null,
    // A link that is shown does not prove access to the mailbox.
    mailed: shown === null,
  })
  const { name: workspaceName } = await workspaceSettings(tx, workspaceId)
  const mail = { kind: 'invitation', workspaceName, invitedBy: user?.email ?? null, url } as const
  const known = await findUserByEmail(tx, email)
  if (mailed)
    await mailUser(ctx, tx, { mailer, to: email, language: known?.language ?? null, mail })
  await recordAuditEntry(tx, ctx, {
    act: 'member.invited',
    subject: email,
    details: { role, mailed },
  })
  return { id, mailed, url, shown }
}

/**
 * Locked until the transaction ends: an inviter who is removed at the same moment leaves no
 * invitation behind (set-member-role).
 */
async function checkInviter(tx: Database, workspaceId: number, userId: string): Promise<void> {
  const member = await lockMemberRow(tx, workspaceId, userId)
  if (member?.role !== 'owner') throw new ApiError('insufficient_role', { required: 'owner' })
}

async function checkRoom(tx: Database, workspaceId: number): Promise<void> {
  const limit = userLimits.invitationsOpenMax
  const open = await invitationsOf(tx, workspaceId)
  if (open.length >= limit) throw new ApiError('conflict', { reason: 'too_many', limit })
}

/**
 * Returns the mailer, or why there is none: the workspace cannot send, or may not. Mail to
 * strangers has its own limit, outside of any quota.
 */
async function takeMailer(
  tx: Database,
  workspaceId: number,
): Promise<Mailer | 'suspended' | 'no_sender'> {
  if (sendingStatus(await accountStatus(tx, workspaceId)).status === 'suspended') return 'suspended'
  const mailer = await findMailer(tx, workspaceId)
  if (!mailer) return 'no_sender'
  const rateLimit = {
    bucket: `invitations ${workspaceId}`,
    max: userLimits.invitationsDayMax,
    minutes: 24 * 60,
  }
  const waitSeconds = await takeTry(tx, [rateLimit])
  if (waitSeconds > 0)
    throw new ApiError('rate_limit_exceeded', { retry_after: waitSeconds }, waitSeconds)
  return mailer
}
