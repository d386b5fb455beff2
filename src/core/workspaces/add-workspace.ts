/**
 * POST /workspaces: creates a workspace owned by the user; it shares the quota of another workspace
 * that they own.
 */
import { ApiError } from '../../contract/errors.ts'
import { userLimits } from '../../contract/workspace/user-schemas.ts'
import type { Database } from '../../database/client/database.ts'
import { insertMembership, workspacesOf } from '../../db/users/memberships.ts'
import { lockUser } from '../../db/users/users.ts'
import { lockQuota } from '../../db/workspaces/plans.ts'
import { accountStatus, type AccountStatusRow } from '../../db/workspaces/account-status.ts'
import { setWorkspaceLanguage } from '../../db/workspaces/workspace-settings.ts'
import { ofWorkspace } from '../databases.ts'
import type { Service } from '../context.ts'
import { createWorkspace } from './create-workspace.ts'
import { readWorkspaceName } from './read-workspace-name.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { signedInUser } from '../signed-in-user.ts'
import { suspensionDetails, sendingStatus } from '../reputation/account-status.ts'
import type { Verb } from '../verb.ts'

/**
 * Only an owner of a workspace may create another: an invited member must not be able to fill the
 * installation.
 */
export const addWorkspace: Verb<'addWorkspace'> = async (ctx, { body }) => {
  const { id } = signedInUser(ctx)
  const beside = await checkOwned(ctx, id)
  // The new workspace shares the database of the one whose quota it shares.
  const { db } = await ofWorkspace<Service>(ctx, beside)
  const workspace = await db.transaction(async (tx) => {
    // Concurrent calls cannot exceed the limit together.
    await lockUser(tx, id)
    checkCount((await ownedBy(tx, id)).length)
    const { payer, plan } = await checkShared(tx, beside)
    const name = readWorkspaceName(body.name, 'name')
    const workspaceRow = await createWorkspace({ db: tx }, { name, plan, quotaOf: payer })
    if (!workspaceRow) throw new ApiError('conflict', { reason: 'name_taken' })
    if (body.language !== undefined) await setWorkspaceLanguage(tx, workspaceRow.id, body.language)
    await insertMembership(tx, workspaceRow.id, id, 'owner')
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId: workspaceRow.id },
      { act: 'workspace.created', subject: workspaceRow.name },
    )
    return workspaceRow
  })
  return { body: { slug: workspace.slug, name: workspace.name, role: 'owner' } }
}

/**
 * Finds the workspace whose quota it shares: the user's own one with the smallest plan, so that a
 * new workspace does not escape a plan. Throws `insufficient_role`, `conflict`, or
 * `reputation_blocked` while one of theirs is suspended.
 */
async function checkOwned(ctx: Service, userId: string): Promise<number> {
  const owned = await ownedBy(ctx.db, userId)
  if (owned.length === 0) throw new ApiError('insufficient_role', { required: 'owner' })
  checkCount(owned.length)
  const standings: (AccountStatusRow & { id: number })[] = []
  for (const { id, slug } of owned) {
    const account = await accountStatus((await ofWorkspace(ctx, id)).db, id)
    if (sendingStatus(account).status === 'suspended') {
      throw new ApiError('reputation_blocked', { workspace: slug, ...suspensionDetails(account) })
    }
    standings.push({ ...account, id })
  }
  const max = ({ monthlyQuota }: AccountStatusRow): number => monthlyQuota ?? Infinity
  const [narrowest] = standings.toSorted((a, b) => (max(a) < max(b) ? -1 : 1))
  if (!narrowest) throw new Error('An owner of a workspace has no workspace')
  return narrowest.id
}

const ownedBy = async (db: Database, userId: string) =>
  (await workspacesOf(db, userId)).filter(({ role }) => role === 'owner')

/**
 * Limits the workspaces of one quota to those that one user may own: handing one over makes no room
 * for another.
 */
async function checkShared(tx: Database, beside: number): Promise<{ payer: number; plan: string }> {
  const shared = await lockQuota(tx, beside)
  checkCount(shared.sharing)
  return shared
}

function checkCount(count: number): void {
  const limit = userLimits.workspacesMax
  if (count >= limit) throw new ApiError('conflict', { reason: 'too_many', limit })
}
