/** Changes or ends a membership, with an audit entry. A workspace always keeps one owner. */
import { ApiError, existing } from '../../contract/errors.ts'
import type { Role } from '../../contract/roles.ts'
import type { Database } from '../../database/client/database.ts'
import { deleteMembership, lockMemberRow, setRole } from '../../db/users/memberships.ts'
import { dropInvitationsBy } from '../../db/users/user-links.ts'
import { isId } from '../../ground/ids.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'

/** Throws `not_found`, and `conflict` when the workspace would have no owner left. */
export async function setMemberRole(
  actor: Actor,
  tx: Database,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  const member = await lockRole(actor, tx, userId)
  if (member.role === role) return
  if (role !== 'owner') checkLastOwner(member)
  await setRole(tx, actor.workspaceId, userId, role)
  if (role !== 'owner') await dropInvitationsBy(tx, actor.workspaceId, userId)
  const details = { from: member.role, to: role }
  await recordAuditEntry(tx, actor, { act: 'member.role_changed', subject: member.email, details })
}

/** Ends a membership under the same rule. */
export async function endMembership(actor: Actor, tx: Database, userId: string): Promise<void> {
  const member = await lockRole(actor, tx, userId)
  checkLastOwner(member)
  await deleteMembership(tx, actor.workspaceId, userId)
  // A removed user must not come back through an invitation that they made.
  await dropInvitationsBy(tx, actor.workspaceId, userId)
  const isOwn = actor.user?.id === userId
  await recordAuditEntry(tx, actor, {
    act: isOwn ? 'member.left' : 'member.removed',
    subject: member.email,
    details: { role: member.role },
  })
}

type LockedMember = NonNullable<Awaited<ReturnType<typeof lockMemberRow>>>

async function lockRole(
  { workspaceId }: Actor,
  tx: Database,
  userId: string,
): Promise<LockedMember> {
  const member = existing(isId(userId) ? await lockMemberRow(tx, workspaceId, userId) : null, {
    id: userId,
  })
  return member
}

function checkLastOwner({ role, owners }: LockedMember): void {
  if (role === 'owner' && owners === 1) throw new ApiError('conflict', { reason: 'last_owner' })
}
