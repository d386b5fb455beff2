/** `facteur sender …`: the sender addresses of campaigns and confirmation mails. */
import type { Mailbox } from '../../contract/address.ts'
import { ApiError } from '../../contract/errors.ts'
import { addSender } from '../../core/workspaces/add-sender.ts'
import { removeSender } from '../../core/workspaces/remove-sender.ts'
import { updateSender } from '../../core/workspaces/update-sender.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import type { SenderRow } from '../../db/workspaces/senders.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { CommandContext } from './command.ts'
import { resolveWorkspace, rowsOf } from './find-workspace.ts'
import { anyWorkspaceFlag, workspaceFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, printed } from './result.ts'
import { readAddress, readNameFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const senderAdd = defineDatabaseCommand({
  name: 'sender add',
  summary: 'Adds a sender to a workspace, or renames it',
  note: 'Its domain must be verified. The first sender of a workspace is its default.',
  arguments: { ADDRESS: { text: 'An address at a domain of the workspace.', required: true, read: readAddress } },
  flags: {
    workspace: workspaceFlag,
    name: { value: 'N', text: 'The name that recipients see.', required: false, read: readNameFlag },
  },
  examples: ['sender add --workspace acme news@mail.acme.example --name "Acme news"'],
  run: async (ctx, { workspace: W, ADDRESS, name }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const adding = addSender({ ...ctx, workspaceId: workspace.id }, { body: { name, email: ADDRESS.address } })
    const { body: sender } = await adding.catch((error: unknown) =>
      explainDomain(ctx, workspace, { domain: ADDRESS.domain, error }),
    )
    const said = `${spell(sender)} is ${sender.default ? 'the default sender' : 'a sender'} of ${workspace.slug}.`
    return printed(toJson({ ...sender, workspace }), said)
  },
})

/** A sender whose domain is not verified is refused with the command that corrects it; any other error stays as it is. */
async function explainDomain(
  ctx: CommandContext,
  { id, slug }: WorkspaceRow,
  { domain, error }: { domain: string; error: unknown },
): Promise<never> {
  if (!(error instanceof ApiError) || error.code !== 'unverified_from_domain') throw error
  const isThere = (await domainsOf(ctx.db, id)).some(({ name }) => name === domain)
  throw new CommandRefusal(
    'refused',
    isThere
      ? `The domain ${domain} is not verified. Next: facteur domain verify --workspace ${slug} ${domain}`
      : `${slug} does not have the domain ${domain}. Next: facteur domain add --workspace ${slug} ${domain}`,
  )
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

const senderDefault = defineDatabaseCommand({
  name: 'sender default',
  summary: 'Makes a sender the one that campaigns and notices are from unless told otherwise',
  arguments: { ADDRESS: { text: 'An address of a sender.', required: true, read: readAddress } },
  flags: { workspace: workspaceFlag },
  examples: ['sender default --workspace acme news@mail.acme.example'],
  run: async (ctx, { workspace: W, ADDRESS }) => {
    const { workspace, sender } = await mustFind(ctx, W, ADDRESS)
    const { id } = sender
    const changing = updateSender({ ...ctx, workspaceId: workspace.id }, { params: { id }, body: { default: true } })
    const { body } = await changing.catch((error: unknown) => explainDomain(ctx, workspace, { domain: ADDRESS.domain, error }))
    return printed(toJson({ ...body, workspace }), `${spell(body)} is the default sender of ${workspace.slug}.`)
  },
})

const senderRemove = defineDatabaseCommand({
  name: 'sender remove',
  summary: 'Takes a sender away from a workspace',
  note: 'Refused while a planned campaign is from it, and of the default while there are others.',
  arguments: { ADDRESS: { text: 'An address of a sender.', required: true, read: readAddress } },
  flags: { workspace: workspaceFlag },
  examples: ['sender remove --workspace acme news@mail.acme.example'],
  run: async (ctx, { workspace: W, ADDRESS }) => {
    const { workspace, sender } = await mustFind(ctx, W, ADDRESS)
    const removing = removeSender({ ...ctx, workspaceId: workspace.id }, { params: { id: sender.id } })
    await removing.catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'conflict' ? new CommandRefusal('refused', whyNot(error)) : error
    })
    return printed(
      { id: sender.id, workspace_id: String(workspace.id), removed: true },
      `${sender.email} is no longer a sender of ${workspace.slug}.`,
    )
  },
})

const whyNot = ({ details }: ApiError): string =>
  details['reason'] === 'default_sender'
    ? 'It is the default sender: make another the default first, with "facteur sender default".'
    : `${String(details['campaigns'])} planned campaigns are from it: change or unschedule them first.`

async function mustFind(
  ctx: CommandContext,
  W: string,
  { key, address }: Mailbox,
): Promise<{ workspace: WorkspaceRow; sender: SenderRow }> {
  const workspace = await resolveWorkspace(ctx, W)
  const sender = (await sendersOf(ctx.db, workspace.id)).find(({ email }) => email.toLowerCase() === key)
  if (!sender)
    throw new CommandRefusal('not_found', `${workspace.slug} has no sender ${address}: "facteur sender list" shows all.`)
  return { workspace, sender }
}

const spell = ({ name, email }: Pick<SenderRow, 'name' | 'email'>): string => (name === null ? email : `${name} <${email}>`)

const toJson = (sender: Omit<SenderRow, 'createdAt'> & { workspace: WorkspaceRow }) => ({
  id: sender.id,
  workspace_id: String(sender.workspace.id),
  name: sender.name,
  email: sender.email,
  default: sender.default,
})

export const senderCommands = [senderAdd, senderList, senderDefault, senderRemove]
