/** `facteur sender …`: the addresses that campaigns and confirmations are written from. */
import { addSender } from '../../core/workspaces/add-sender.ts'
import { sendersOf } from '../../db/senders.ts'
import type { SenderRow } from '../../db/senders.ts'
import type { WorkspaceRow } from '../../db/workspaces.ts'
import { findWorkspace, rowsOf } from './find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { listed, shown } from './result.ts'
import { readAddress, readName } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const senderAdd = defineDatabaseCommand({
  name: 'sender add',
  summary: 'Adds a sender to a workspace, or renames it',
  note: 'The first sender of a workspace is its default.',
  arguments: { ADDRESS: { text: 'An address at a domain of the workspace.', required: true, read: readAddress } },
  flags: {
    workspace: workspaceFlag,
    name: { value: 'N', text: 'The name that recipients see.', required: false, read: readName },
  },
  examples: ['sender add --workspace acme news@mail.acme.example --name "Acme news"'],
  run: async (ctx, { workspace: W, ADDRESS, name }) => {
    const workspace = await findWorkspace(ctx, W)
    const { sender, domain } = await addSender(ctx, workspace.id, { name, mailbox: ADDRESS })
    const said = `${spell(sender)} is ${sender.default ? 'the default sender' : 'a sender'} of ${workspace.slug}.`
    return shown(toJson({ ...sender, workspace }), said + nextFor[domain](workspace.slug, ADDRESS.domain))
  },
})

const nextFor: Record<'verified' | 'pending' | 'absent', (slug: string, domain: string) => string> = {
  verified: () => '',
  pending: (slug, domain) =>
    `\nIts domain is not verified yet. Next: facteur domain verify --workspace ${slug} ${domain} --force`,
  absent: (slug, domain) => `\n${slug} does not have its domain yet. Next: facteur domain add --workspace ${slug} ${domain}`,
}

const senderList = defineDatabaseCommand({
  name: 'sender list',
  summary: 'Lists the senders',
  arguments: {},
  flags: { workspace: anyWorkspaceFlag },
  examples: ['sender list --workspace acme'],
  run: (ctx, { workspace: W }) =>
    Promise.resolve(
      listed({
        pages: rowsOf(ctx, W, (workspaceId) => sendersOf(ctx.db, workspaceId)),
        columns: [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'WORKSPACE', cell: ({ workspace }) => workspace.slug },
          { title: 'ADDRESS', cell: ({ email }) => email },
          { title: 'NAME', cell: ({ name }) => name ?? '-' },
          { title: 'DEFAULT', cell: (sender) => (sender.default ? 'yes' : '') },
        ],
        json: toJson,
        empty: 'There is no sender yet. Next: facteur sender add --workspace W ADDRESS --name N',
      }),
    ),
})

const spell = ({ name, email }: SenderRow): string => (name === null ? email : `${name} <${email}>`)

const toJson = (sender: SenderRow & { workspace: WorkspaceRow }) => ({
  id: sender.id,
  workspace_id: String(sender.workspace.id),
  name: sender.name,
  email: sender.email,
  default: sender.default,
})

export const senderCommands = [senderAdd, senderList]
