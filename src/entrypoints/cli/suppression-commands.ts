/**
 * `facteur suppression …`: addresses that receive nothing further, from one workspace or from the
 * whole platform.
 */
import { presentSuppression } from '../../core/presentation/present-suppression.ts'
import {
  liftPlatformSuppression,
  removeSuppression,
  platformSuppression,
} from '../../core/suppression/remove-suppression.ts'
import { suppressAddress } from '../../core/suppression/suppress-address.ts'
import { suppressOnPlatform } from '../../core/suppression/suppress-on-platform.ts'
import { resolveWorkspace } from './workspace-command.ts'
import { argument } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, shownNumber, printed, shownTime } from './result.ts'
import { suppressionExport, suppressionImport } from './suppression-file-commands.ts'
import {
  checkListPlace,
  platformEntries,
  whichList,
  workspaceEntries,
} from './suppression-lists.ts'
import { readAddress } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'
import type { CommandContext } from './command.ts'

const address = argument('The address, without a name.', readAddress)

const suppressionAdd = defineDatabaseCommand({
  name: 'suppression add',
  summary: 'Suppress an address: it receives nothing further',
  note: 'Pending mail to the address is not sent any more. Give either --workspace or --platform.',
  arguments: { ADDRESS: address },
  flags: whichList,
  checkLine: checkListPlace,
  examples: [
    'suppression add --workspace acme ada@example.com',
    'suppression add --platform ada@example.com',
  ],
  run: async (ctx, { ADDRESS, workspace: W, platform }) => {
    const email = ADDRESS.key
    if (platform) {
      const { entry, settled } = await suppressOnPlatform(ctx, {
        email,
        databases: await ctx.inCells(),
      })
      return printed(
        presentSuppression(entry),
        `${email} receives nothing further from any workspace (${entry.reason}). ${shownNumber(settled)} waiting for it will not be sent.`,
      )
    }
    const workspace = await resolveWorkspace(ctx, W ?? '')
    const at = await ctx.inCell(workspace.databaseId)
    const entry = await suppressAddress(at, {
      workspaceId: workspace.id,
      entry: { email, reason: 'manual', sourceId: null },
    })
    return printed(
      presentSuppression(entry),
      `${email} receives nothing further from ${workspace.slug} (${entry.reason}).`,
    )
  },
})

const suppressionRemove = defineDatabaseCommand({
  name: 'suppression remove',
  summary: 'Let an address receive mail again',
  note: 'Only if its owner asked for it: mail to people who complained costs the reputation of every workspace here.',
  arguments: { ADDRESS: address },
  flags: whichList,
  checkLine: checkListPlace,
  examples: ['suppression remove --workspace acme ada@example.com'],
  run: async (ctx, { ADDRESS, workspace: W, platform }) => {
    const email = ADDRESS.key
    if (platform) {
      const lifted = await liftPlatformSuppression(ctx, email)
      if (!lifted)
        throw new CommandRefusal('not_found', `The platform's list does not hold ${email}.`)
      return printed(
        presentSuppression(lifted),
        `${email} is off the platform's list (it was ${lifted.reason}). Workspaces keep their own entries.`,
      )
    }
    const workspace = await resolveWorkspace(ctx, W ?? '')
    const at = await ctx.inCell(workspace.databaseId)
    const answer = await removeSuppression(at, { workspaceId: workspace.id, email })
    if (!answer)
      throw new CommandRefusal('not_found', await whyNotListed(ctx, workspace.slug, email))
    const { lifted, remaining } = answer
    const still = remaining
      ? `\nThe platform's list still suppresses it: facteur suppression remove --platform ${email}`
      : ''
    return printed(
      presentSuppression(lifted),
      `${email} is off the list of ${workspace.slug} (it was ${lifted.reason}).${still}`,
    )
  },
})

const suppressionList = defineDatabaseCommand({
  name: 'suppression list',
  summary: 'List suppressed addresses, newest first, or the entries of one address',
  note: 'Give either --workspace or --platform. The entries of one address in a workspace include the one of the platform.',
  arguments: { ADDRESS: { ...address, required: false } },
  flags: whichList,
  checkLine: checkListPlace,
  examples: [
    'suppression list --workspace acme',
    'suppression list --workspace acme ada@example.com',
    'suppression list --platform --json',
  ],
  run: (ctx, { ADDRESS, workspace: W, platform }) => {
    const pages = platform
      ? platformEntries(ctx, ADDRESS?.key ?? null)
      : workspaceEntries(ctx, W ?? '', ADDRESS?.key ?? null)
    return listed({
      pages,
      columns: [
        { title: 'ADDRESS', cell: ({ email }) => email },
        { title: 'REASON', cell: ({ reason }) => reason },
        { title: 'SCOPE', cell: ({ scope }) => scope },
        { title: 'SINCE (UTC)', cell: ({ createdAt }) => shownTime(createdAt) },
      ],
      json: presentSuppression,
      empty: ADDRESS ? `${ADDRESS.key} is not suppressed.` : 'No address is suppressed.',
    })
  },
})

async function whyNotListed(ctx: CommandContext, slug: string, email: string): Promise<string> {
  const onPlatform = await platformSuppression(ctx, email)
  return `The list of ${slug} does not hold ${email}${onPlatform ? `, but the platform's does: facteur suppression remove --platform ${email}` : '.'}`
}

export const suppressionCommands = [
  suppressionAdd,
  suppressionRemove,
  suppressionList,
  suppressionImport,
  suppressionExport,
]
