/** `facteur member …`: the users of a workspace, their roles, and links that let them sign in again. */
import { ApiError } from '../../contract/errors.ts'
import { roles } from '../../contract/roles.ts'
import { invite } from '../../core/members/invite.ts'
import { endMembership, setMemberRole } from '../../core/members/set-member-role.ts'
import { makeUserLink } from '../../core/identity/user-link.ts'
import { prepareSetUp } from '../../core/workspaces/prepare-set-up.ts'
import type { Database } from '../../db/connection/connect.ts'
import { membersOf } from '../../db/users/memberships.ts'
import type { MemberRow } from '../../db/users/memberships.ts'
import { dropTotp, findUserByEmail } from '../../db/users/users.ts'
import type { UserRow } from '../../db/users/users.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { CommandContext } from './command.ts'
import { resolveWorkspace, rowsOf } from './find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, printed } from './result.ts'
import { readAddress, readChoiceFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const address = { text: 'Their address, without a name.', required: true, read: readAddress } as const
const roleFlag = { value: 'R', text: 'viewer, editor or owner.', required: true, read: readChoiceFlag(roles) } as const

const memberList = defineDatabaseCommand({
  name: 'member list',
  summary: 'Lists who may sign in to the pages of a workspace',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['member list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => membersOf(ctx.db, workspaceId)),
        columns: [
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'ADDRESS', cell: ({ email }) => email },
          { title: 'NAME', cell: ({ name }) => (name === '' ? '-' : name) },
          { title: 'ROLE', cell: ({ role }) => role },
          { title: 'SECOND FACTOR', cell: ({ secondFactor }) => (secondFactor ? 'yes' : 'no') },
        ],
        json: toJson,
        empty: 'There is no member yet. Next: facteur member invite --workspace W --role owner ADDRESS',
      }),
    ),
})

const toJson = (member: MemberRow & { workspace: WorkspaceRow }) => ({
  id: member.id,
  workspace_id: String(member.workspace.id),
  email: member.email,
  name: member.name,
  role: member.role,
  second_factor: member.secondFactor,
  joined_at: member.joinedAt.toISOString(),
})

const memberInvite = defineDatabaseCommand({
  name: 'member invite',
  summary: 'Makes a link by which somebody enters a workspace',
  note: 'Nothing is mailed: hand the link over. It works once, for seven days, and an earlier one of theirs works no more.',
  arguments: { ADDRESS: address },
  flags: { workspace: workspaceFlag, role: roleFlag },
  examples: ['member invite --workspace acme --role owner ada@example.com'],
  async run(ctx, { workspace: W, role, ADDRESS: { key: email } }) {
    const workspace = await resolveWorkspace(ctx, W)
    const actor = { ...ctx, workspaceId: workspace.id }
    const { id, url } = await ctx.db
      .transaction((tx) => invite(actor, tx, { email, role, byMail: false, captures: false }))
      .catch(inWords(email, workspace))
    return printed(
      { id, email, role, workspace_id: String(workspace.id), link: url },
      `${email} enters ${workspace.slug} as ${role} by this link, within seven days:\n\n  ${url}`,
    )
  },
})

const memberRole = defineDatabaseCommand({
  name: 'member role',
  summary: 'Changes what a member may do',
  note: 'A viewer sees everything but keys and members; an editor sends and changes; an owner has keys, members and settings too. A workspace keeps one owner.',
  arguments: { ADDRESS: address },
  flags: { workspace: workspaceFlag, role: roleFlag },
  examples: ['member role --workspace acme --role editor ada@example.com'],
  async run(ctx, { workspace: W, role, ADDRESS: { key: email } }) {
    const workspace = await resolveWorkspace(ctx, W)
    const id = await change(ctx, email, workspace, (tx, userId) =>
      setMemberRole({ ...ctx, workspaceId: workspace.id }, tx, { userId, role }),
    )
    return printed({ id, email, role, workspace_id: String(workspace.id) }, `${email} is ${role} of ${workspace.slug}.`)
  },
})

const memberRemove = defineDatabaseCommand({
  name: 'member remove',
  summary: 'Takes a member out of a workspace',
  note: 'Their account and other workspaces stay. A workspace keeps one owner.',
  arguments: { ADDRESS: address },
  flags: { workspace: workspaceFlag },
  examples: ['member remove --workspace acme ada@example.com'],
  async run(ctx, { workspace: W, ADDRESS: { key: email } }) {
    const workspace = await resolveWorkspace(ctx, W)
    const id = await change(ctx, email, workspace, (tx, userId) =>
      endMembership({ ...ctx, workspaceId: workspace.id }, tx, userId),
    )
    return printed(
      { id, email, workspace_id: String(workspace.id), removed: true },
      `${email} is no longer a member of ${workspace.slug}.`,
    )
  },
})

const memberResetLink = defineDatabaseCommand({
  name: 'member reset-link',
  summary: 'Makes a link by which somebody chooses a new password',
  note: 'It works once, for thirty minutes. With --second-factor the codes of their app are switched off at once: for a person who lost the phone and the recovery codes. Be sure who asks.',
  arguments: { ADDRESS: address },
  flags: { 'second-factor': { text: 'Switches the codes of their app off too.' } },
  examples: ['member reset-link ada@example.com'],
  async run(ctx, { ADDRESS: { key: email }, 'second-factor': dropsFactor }) {
    const { id } = await mustFindPerson(ctx, email)
    const { url } = await ctx.db.transaction(async (tx) => {
      if (dropsFactor) await dropTotp(tx, id)
      return makeUserLink(ctx, tx, { purpose: 'reset', userId: id })
    })
    return printed({ id, email, link: url }, `${email} chooses a new password by this link, within thirty minutes:\n\n  ${url}`)
  },
})

const memberSetUpLink = defineDatabaseCommand({
  name: 'member set-up-link',
  summary: 'Makes the link for the first account anew',
  note: 'Every start prints one until somebody has used it; this is for a service that has run for longer than the day it works.',
  arguments: {},
  flags: {},
  examples: ['member set-up-link'],
  async run(ctx) {
    const link = await prepareSetUp(ctx)
    if (link === null)
      throw new CommandRefusal('refused', 'There is an account already: "facteur member invite" makes links for others.')
    return printed(
      { id: link.id, link: link.url },
      `Open this to make the first account, once and within 24 hours:\n\n  ${link.url}`,
    )
  },
})

/** Answers the id of the user. */
async function change(
  ctx: CommandContext,
  email: string,
  workspace: WorkspaceRow,
  work: (tx: Database, userId: string) => Promise<void>,
): Promise<string> {
  const { id } = await mustFindPerson(ctx, email)
  await ctx.db.transaction((tx) => work(tx, id)).catch(inWords(email, workspace))
  return id
}

async function mustFindPerson(ctx: CommandContext, email: string): Promise<UserRow> {
  const person = await findUserByEmail(ctx.db, email)
  if (!person) throw new CommandRefusal('not_found', `Nobody signs in by ${email}: "facteur member list" shows all.`)
  return person
}

const inWords =
  (email: string, { slug }: WorkspaceRow) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'not_found') throw new CommandRefusal('not_found', `${email} is no member of ${slug}.`)
    if (error.details['reason'] === 'last_owner')
      throw new CommandRefusal('refused', `${email} is the last owner of ${slug}: make somebody else an owner first.`)
    if (error.details['reason'] === 'already_member')
      throw new CommandRefusal('refused', `${email} is a member of ${slug} already.`)
    throw error
  }

export const memberCommands = [memberInvite, memberList, memberRole, memberRemove, memberResetLink, memberSetUpLink]
