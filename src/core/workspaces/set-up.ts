/**
 * POST /set-up/{token}: creates the first user, who owns an existing or a new workspace, and signs
 * them in.
 */
import { ApiError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/operations.ts'
import type { Database } from '../../database/client/database.ts'
import { insertMembership } from '../../db/users/memberships.ts'
import { insertUser, isAnybodyThere, confirmUserAddress } from '../../db/users/users.ts'
import { dropSetUpLinks } from '../../db/users/user-links.ts'
import { setWorkspaceLanguage } from '../../db/workspaces/workspace-settings.ts'
import { findWorkspace } from '../../db/workspaces/workspaces.ts'
import { chooseDatabase } from '../databases.ts'
import { shapeError } from '../input/shape-error.ts'
import { createWorkspace } from './create-workspace.ts'
import { validatePassword } from '../identity/validate-password.ts'
import { openUserSession } from '../identity/open-session.ts'
import { findLink, takeLink } from '../identity/user-link.ts'
import { readLoginEmail } from '../identity/read-login-email.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { readWorkspaceName } from './read-workspace-name.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Verb } from '../verb.ts'

export const setUp: Verb<'setUp'> = async (ctx, { params: { token }, body }) => {
  await findLink(ctx.db, 'set_up', token)
  const email = readLoginEmail(body.email)
  const name = readUserName(body.name)
  validatePassword(body.password, email)
  const password = await ctx.passwords.hash(body.password)
  const databaseId = await databaseFor(ctx.db, body)
  const { db } = await ctx.databases.at(databaseId)
  return db.transaction(async (tx) => {
    await takeLink(tx, 'set_up', token)
    // Another process may have printed a link as well.
    await dropSetUpLinks(tx)
    // The command line may have created a user since it was printed.
    if (await isAnybodyThere(tx)) throw new ApiError('link_not_valid')
    const workspaceId = await chooseWorkspace(tx, body, databaseId)
    if (body.language !== undefined) await setWorkspaceLanguage(tx, workspaceId, body.language)
    const userId = await insertUser(tx, { id: ctx.makeId(), email, name, password })
    if (userId === null) throw new ApiError('conflict', { reason: 'address_taken' })
    // The operator's own link proves more than a mailbox: the operator made this account, so its
    // second factor stays.
    await confirmUserAddress(tx, userId)
    await insertMembership(tx, workspaceId, userId, 'owner')
    const session = await openUserSession(ctx, tx, { userId, method: 'link' })
    const actor = { ...ctx, workspaceId, user: { id: userId, email } }
    await recordAuditEntry(tx, actor, {
      act: 'member.joined',
      subject: email,
      details: { role: 'owner' },
    })
    return session
  })
}

/**
 * The database of the workspace that the request names, or that a new one goes to: the transaction
 * is of that one.
 */
async function databaseFor(db: Database, { workspace }: InputOf<'setUp'>['body']): Promise<number> {
  const result = workspace === undefined ? null : await findWorkspace(db, workspace)
  return result?.databaseId ?? chooseDatabase(db)
}

async function chooseWorkspace(
  tx: Database,
  { workspace, new_workspace: name }: InputOf<'setUp'>['body'],
  databaseId: number,
): Promise<number> {
  if (name !== undefined) {
    const created = await createWorkspace(
      { db: tx },
      { name: readWorkspaceName(name, 'new_workspace'), databaseId },
    )
    if (!created) throw shapeError([{ path: 'new_workspace', rule: 'taken' }])
    return created.id
  }
  const result = workspace === undefined ? null : await findWorkspace(tx, workspace)
  if (!result || result.slug !== workspace)
    throw shapeError([{ path: 'workspace', rule: 'unknown' }])
  return result.id
}
