/** POST /set-up/{token}: makes the first person, the owner of a workspace that there is or of a new one, and signs them in. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { Database } from '../../db/connect.ts'
import { insertMembership } from '../../db/memberships.ts'
import { insertPerson, isAnybodyThere, provePerson } from '../../db/people.ts'
import { dropSetUpLinks } from '../../db/person-links.ts'
import { setWorkspaceLanguage } from '../../db/workspace-settings.ts'
import { findWorkspace } from '../../db/workspaces.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { createWorkspace } from '../workspaces/create-workspace.ts'
import { judgePassword } from './judge-password.ts'
import { openSession } from './open-session.ts'
import { findLink, takeLink } from './person-link.ts'
import { readEmail } from './read-email.ts'
import { readPersonName } from './read-person-name.ts'
import { readWorkspaceName } from './read-workspace-name.ts'
import { recordAct } from './record-act.ts'

export async function setUp(ctx: CallContext, { params: { token }, body }: InputOf<'setUp'>): Promise<AnswerOf<'setUp'>> {
  await findLink(ctx.db, 'set_up', token)
  const email = readEmail(body.email)
  const name = readPersonName(body.name)
  judgePassword(body.password, email)
  const password = await ctx.passwords.hash(body.password)
  return ctx.db.transaction(async (tx) => {
    await takeLink(tx, 'set_up', token)
    // Another process may have printed one as well.
    await dropSetUpLinks(tx)
    // Somebody may have come by the command line since it was printed.
    if (await isAnybodyThere(tx)) throw new ApiError('link_not_valid')
    const workspaceId = await chooseWorkspace(tx, body)
    if (body.language !== undefined) await setWorkspaceLanguage(tx, workspaceId, body.language)
    const personId = await insertPerson(tx, { id: ctx.makeId(), email, name, password })
    if (personId === null) throw new ApiError('conflict', { reason: 'address_taken' })
    // The operator's own link shows more than a mailbox does: nobody else made this account, and its second factor stays theirs.
    await provePerson(tx, personId)
    await insertMembership(tx, workspaceId, personId, 'owner')
    const session = await openSession(ctx, tx, personId, 'link')
    const actor = { ...ctx, workspaceId, person: { id: personId, email } }
    await recordAct(tx, actor, { act: 'member.joined', subject: email, details: { role: 'owner' } })
    return session
  })
}

async function chooseWorkspace(tx: Database, { workspace, new_workspace: name }: InputOf<'setUp'>['body']): Promise<number> {
  if (name !== undefined) {
    const made = await createWorkspace({ db: tx }, { name: readWorkspaceName(name, 'new_workspace') })
    if (!made) throw shapeError([{ path: 'new_workspace', rule: 'taken' }])
    return made.id
  }
  const found = workspace === undefined ? null : await findWorkspace(tx, workspace)
  if (!found || found.slug !== workspace) throw shapeError([{ path: 'workspace', rule: 'unknown' }])
  return found.id
}
