/**
 * `facteur member …`: the users of a workspace, their roles, and links that let them sign in again.
 */
import { ApiError } from '../../contract/errors.ts'
import { roles } from '../../contract/roles.ts'
import { invite } from '../../core/members/invite.ts'
import { makeUserLink } from '../../core/identity/user-link.ts'
import { prepareSetUp } from '../../core/workspaces/prepare-set-up.ts'
import { dropTotp, findUserByEmail } from '../../db/users/users.ts'
import { derive, type About } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { argument } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { printed } from './result.ts'
import { readAddress, readAddressText, readChoiceFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const address = argument('Their address, without a name.', readAddress)

const ofMember = {
  places: { id: 'ADDRESS' },
  texts: { id: 'Their address, without a name.', role: 'viewer, editor or owner.' },
  foundBy: { list: 'listMembers', field: 'email' },
  read: { id: readAddressText },
  refusals: {
    last_owner: (_: object, { workspace, words }: About) =>
      `${String(words['ADDRESS'])} is the last owner of ${workspace.slug}: make another member an owner first.`,
  },
} as const

const memberInvite = defineWorkspaceCommand({
  name: 'member invite',
  summary: 'Make an invitation link to a workspace',
  note: 'Nothing is mailed: hand the link over. It works once, for seven days, and replaces an earlier link for the same address.',
  arguments: { ADDRESS: address },
  flags: { role: { ...argument('viewer, editor or owner.', readChoiceFlag(roles)), value: 'R' } },
  examples: ['member invite --workspace acme --role owner ada@example.com'],
  async run(ctx, { role, ADDRESS: { key: email } }) {
    const { id: workspaceId, slug } = ctx.workspace
    const actor = { ...ctx, workspaceId }
    const { id, url } = await ctx.db
      .transaction((tx) => invite(actor, tx, { email, role, byMail: false, captures: false }))
      .catch((error: unknown) => {
        const isMember = error instanceof ApiError && error.details['reason'] === 'already_member'
        throw isMember
          ? new CommandRefusal('refused', `${email} is a member of ${slug} already.`)
          : error
      })
    return printed(
      { id, email, role, workspace_id: String(workspaceId), link: url },
      `${email} enters ${slug} as ${role} by this link, within seven days:\n\n  ${url}`,
    )
  },
})

const memberResetLink = defineDatabaseCommand({
  name: 'member reset-link',
  summary: 'Make a link by which a user chooses a new password',
  note: 'It works once, for thirty minutes. --second-factor also switches off the codes of their app at once, for a user who lost the phone and the recovery codes. Be sure who asks.',
  arguments: { ADDRESS: address },
  flags: { 'second-factor': { text: 'Switches the codes of their app off too.' } },
  examples: ['member reset-link ada@example.com'],
  async run(ctx, { ADDRESS: { key: email }, 'second-factor': dropsFactor }) {
    const user = await findUserByEmail(ctx.db, email)
    if (!user)
      throw new CommandRefusal(
        'not_found',
        `No user has the address ${email}: "facteur member list" shows all.`,
      )
    const { url } = await ctx.db.transaction(async (tx) => {
      if (dropsFactor) await dropTotp(tx, user.id)
      return makeUserLink(ctx, tx, { purpose: 'reset', userId: user.id })
    })
    return printed(
      { id: user.id, email, link: url },
      `${email} chooses a new password by this link, within thirty minutes:\n\n  ${url}`,
    )
  },
})

const memberSetUpLink = defineDatabaseCommand({
  name: 'member set-up-link',
  summary: 'Make the link for the first account again',
  note: "Every start prints one until it is used. This command is for a service that has run for longer than the link's 24 hours.",
  examples: ['member set-up-link'],
  async run(ctx) {
    const link = await prepareSetUp(ctx)
    if (link === null)
      throw new CommandRefusal(
        'refused',
        'There is an account already: "facteur member invite" makes links for others.',
      )
    return printed(
      { id: link.id, link: link.url },
      `Open this to make the first account, once and within 24 hours:\n\n  ${link.url}`,
    )
  },
})

export const memberCommands = [
  memberInvite,
  deriveList('listMembers', {
    everywhere: true,
    summary: 'List members',
    examples: ['member list --workspace acme'],
    columns: ['email', 'name', 'role', 'second_factor', 'joined_at'],
    empty: 'There is no member yet. Next: facteur member invite --workspace W --role owner ADDRESS',
  }),
  derive('changeRole', {
    ...ofMember,
    name: 'member role',
    note: 'A viewer sees everything but keys and members; an editor sends and changes; an owner has keys, members and settings too. A workspace keeps one owner.',
    examples: ['member role --workspace acme --role editor ada@example.com'],
    json: (_, { words: { ADDRESS, role } }) => ({ email: ADDRESS, role }),
    say: (_, { workspace, words: { ADDRESS, role } }) =>
      `${String(ADDRESS)} is ${String(role)} of ${workspace.slug}.`,
  }),
  derive('removeMember', {
    ...ofMember,
    note: 'Their account and other workspaces stay. A workspace keeps one owner.',
    examples: ['member remove --workspace acme ada@example.com'],
    json: (_, { words: { ADDRESS } }) => ({ email: ADDRESS, removed: true }),
    say: (_, { workspace, words }) =>
      `${String(words['ADDRESS'])} is no longer a member of ${workspace.slug}.`,
  }),
  memberResetLink,
  memberSetUpLink,
]
