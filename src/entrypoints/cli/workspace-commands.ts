/** `facteur workspace …`: the workspaces that own keys, domains, senders and messages. */
import { UnknownCell } from '../../core/databases.ts'
import { createWorkspace, slugOf } from '../../core/workspaces/create-workspace.ts'
import { changeSettings } from '../../core/workspaces/change-settings.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import { cells } from '../../database/cells/cells.ts'
import type { Database } from '../../database/client/database.ts'
import {
  confirmationPaceOf,
  setConfirmationsPerMinute,
} from '../../db/audience/confirmation-pace.ts'
import { apiKeysOf } from '../../db/workspaces/api-keys.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { sendersOf } from '../../db/workspaces/senders.ts'
import { setRatePerMinute, type WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import {
  workspaceSettings,
  type WorkspaceSettings,
} from '../../db/workspaces/workspace-settings.ts'
import { resolveWorkspace } from './workspace-command.ts'
import { workspaceMoveCommand } from './workspace-move-command.ts'
import { argument, flag, textFlag, workspaceArgument } from './parameters.ts'
import { present } from './present.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, shownNumber, printed, shownTime } from './result.ts'
import {
  readChoiceFlag,
  readContact,
  readNameFlag,
  readPostalAddress,
  readSwitch,
  readWhole,
} from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'
import { sendingStatus } from '../../core/reputation/account-status.ts'
import { recipientLanguages } from '../../ground/texts/languages.ts'

const workspaceCreate = defineDatabaseCommand({
  name: 'workspace create',
  summary: 'Make a workspace',
  note: 'Its slug is made of its name; both its id and its slug stand for it in other commands. It begins on the plan "default".',
  arguments: { NAME: argument('What people call it.', readNameFlag) },
  flags: {
    cell: flag(
      'N',
      'The cell that it lives in; by itself the one with the fewest workspaces.',
      readWhole(1, 10_000),
    ),
  },
  examples: ['workspace create "Acme shop"'],
  run: async (ctx, { NAME, cell }) => {
    const workspace = await createWorkspace(ctx, { name: NAME, databaseId: cell }).catch(
      (error: unknown) => {
        if (!(error instanceof UnknownCell)) throw error
        throw new CommandRefusal('refused', `${error.message}: facteur cell list shows them.`)
      },
    )
    if (!workspace)
      throw new CommandRefusal(
        'conflict',
        `There is a workspace with the slug "${slugOf(NAME)}" already: choose another name.`,
      )
    const { slug } = workspace
    return printed(
      (await jsonOf(ctx))(workspace),
      `Workspace "${workspace.name}" is made (id ${workspace.id}, slug ${slug}).
Next: facteur domain add --workspace ${slug} DOMAIN
      facteur key create --workspace ${slug} --name NAME --scopes emails:send`,
    )
  },
})

const cellColumn = {
  title: 'CELL',
  right: true as const,
  cell: ({ databaseId }: WorkspaceRow): string => String(databaseId),
}

const workspaceList = defineDatabaseCommand({
  name: 'workspace list',
  summary: 'List the workspaces',
  examples: ['workspace list'],
  run: async (ctx) => {
    const hasCells = await hasSeveralCells(ctx)
    return listed({
      pages: eachWorkspace({ db: ctx.db }),
      columns: [
        { title: 'ID', right: true, cell: ({ id }) => String(id) },
        { title: 'SLUG', cell: ({ slug }) => slug },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'PLAN', cell: ({ plan }) => plan },
        {
          title: 'REQUESTS/MIN',
          right: true,
          cell: ({ ratePerMinute }) => shownNumber(ratePerMinute),
        },
        ...(hasCells ? [cellColumn] : []),
        { title: 'CREATED (UTC)', cell: ({ createdAt }) => shownTime(createdAt) },
      ],
      json: await jsonOf(ctx),
      empty: 'There is no workspace yet. Next: facteur workspace create NAME',
    })
  },
})

const workspaceShow = defineDatabaseCommand({
  name: 'workspace show',
  summary: 'Show a workspace: plan, quota, domains, senders, keys, reputation',
  arguments: { W: workspaceArgument },
  examples: ['workspace show acme'],
  run: async (ctx, { W }) => {
    const workspace = await resolveWorkspace(ctx, W)
    const { db } = await ctx.inCell(workspace.databaseId)
    const [account, settings, domains, senders, keys, confirmations] = await Promise.all([
      accountStatus(db, workspace.id),
      workspaceSettings(db, workspace.id),
      domainsOf(db, workspace.id),
      sendersOf(db, workspace.id),
      apiKeysOf(db, workspace.id),
      confirmationPaceOf(db, workspace.id),
    ])
    const usable = keys.filter((key) => key.revokedAt === null)
    const sending = sendingStatus(account)
    const { monthlyQuota, used, resetsAt } = account
    const remaining = monthlyQuota === null ? null : Math.max(0, monthlyQuota - used)
    const whole = {
      ...(await jsonOf(ctx))(workspace),
      ...settingsJson(settings),
      confirmations_per_minute: confirmations.perMinute,
      quota: { limit: monthlyQuota, used, remaining, resets_at: resetsAt.toISOString() },
      domains: domains.map(({ name, status }) => ({ name, status })),
      senders,
      keys: usable.length,
      sending,
    }
    const shown = {
      quota: { ...whole.quota, limit: monthlyQuota ?? 'none' },
      senders: senders.map(({ email, name, default: isDefault }) => ({
        email,
        name,
        default: isDefault,
      })),
      keys: usable.map(({ name }) => name).join(', ') || 'none',
    }
    return printed(whole, describe({ ...whole, ...shown }))
  },
})

const workspaceSet = defineDatabaseCommand({
  name: 'workspace set',
  summary:
    'Set what recipients read of a workspace, where it receives notices itself, what it follows, how much its keys may ask',
  note: 'Flags that are not given leave what is set.',
  arguments: { W: workspaceArgument },
  flags: {
    'rate-per-minute': flag(
      'N',
      'Requests of each key in any 60 seconds; 600 at first.',
      readWhole(1, 1_000_000),
    ),
    'confirmations-per-minute': flag(
      'N',
      'Confirmations of batches and of files by key that leave in a minute; 60 at first.',
      readWhole(1, 60_000),
    ),
    contact: flag(
      'ADDRESS',
      'Where notices to the workspace go, such as that its sending is suspended; none: to its default sender.',
      readContact,
    ),
    'postal-address': flag(
      'TEXT',
      'In the footer of every campaign; \\n divides its lines. none takes it away.',
      readPostalAddress,
    ),
    language: flag(
      'LANGUAGE',
      `Of pages and mails for its recipients: ${recipientLanguages.join(', ')}, or default, which is the installation's.`,
      readChoiceFlag([...recipientLanguages, 'default']),
    ),
    'time-zone': textFlag(
      'ZONE',
      'Days of segments begin in it, such as Europe/Paris; none is UTC.',
    ),
    'track-opens': flag('on|off', 'Whether new campaigns follow opens.', readSwitch),
    'track-clicks': flag('on|off', 'Whether new campaigns follow clicks.', readSwitch),
    'data-requests': flag(
      'on|off',
      'Whether contacts may ask on their page for what is stored about them; off at first.',
      readSwitch,
    ),
  },
  checkLine: ({ W, ...flags }) => {
    if (Object.values(flags).every((value) => value === null))
      throw new CommandRefusal('usage', `Nothing to set for ${W}: give at least one flag.`)
  },
  examples: [
    'workspace set acme --postal-address "Acme\\n1 rue de Rivoli\\n75001 Paris" --language fr',
    'workspace set acme --rate-per-minute 1200',
  ],
  run: async (ctx, { W, 'rate-per-minute': ratePerMinute, ...flags }) => {
    const workspace = await resolveWorkspace(ctx, W)
    if (ratePerMinute !== null) await setRatePerMinute(ctx.db, workspace.id, ratePerMinute)
    const { contact, language, 'confirmations-per-minute': confirmations } = flags
    const at = await ctx.inCell(workspace.databaseId)
    if (confirmations !== null) await setConfirmationsPerMinute(at.db, workspace.id, confirmations)
    const settings = await changeSettings(
      { ...at, workspaceId: workspace.id },
      {
        ...(contact !== null && { contact: contact === 'none' ? null : contact }),
        ...(language !== null && { language: language === 'default' ? null : language }),
        ...(flags['postal-address'] !== null && { postal_address: flags['postal-address'] }),
        ...(flags['time-zone'] !== null && {
          time_zone: flags['time-zone'] === 'none' ? null : flags['time-zone'],
        }),
        ...(flags['track-opens'] !== null && { track_opens: flags['track-opens'] }),
        ...(flags['track-clicks'] !== null && { track_clicks: flags['track-clicks'] }),
        ...(flags['data-requests'] !== null && { data_requests: flags['data-requests'] }),
      },
    )
    const now = { ...workspace, ratePerMinute: ratePerMinute ?? workspace.ratePerMinute }
    const { perMinute } = await confirmationPaceOf(at.db, workspace.id)
    const whole = {
      ...(await jsonOf(ctx))(now),
      confirmations_per_minute: perMinute,
      ...settingsJson(settings),
    }
    return printed(whole, describe(whole))
  },
})

/** A setting without a value names the one that holds instead. */
const describe = (whole: ReturnType<typeof settingsJson>): string =>
  present({
    ...whole,
    language: whole.language ?? "the installation's",
    postal_address:
      whole.postal_address?.replaceAll('\n', ', ') ?? 'none: campaigns are asked for one',
    contact: whole.contact ?? 'its default sender',
    time_zone: whole.time_zone ?? 'UTC',
  })

const settingsJson = (settings: WorkspaceSettings) => ({
  language: settings.language,
  postal_address: settings.postalAddress,
  track_opens: settings.trackOpens,
  track_clicks: settings.trackClicks,
  contact: settings.contact,
  time_zone: settings.timeZone,
  data_requests: settings.dataRequests,
})

/** With its cell where there are several. */
async function jsonOf(ctx: { db: Database }) {
  const hasCells = await hasSeveralCells(ctx)
  return (workspace: WorkspaceRow) => ({
    id: String(workspace.id),
    slug: workspace.slug,
    name: workspace.name,
    plan: workspace.plan,
    rate_per_minute: workspace.ratePerMinute,
    ...(hasCells && { cell: workspace.databaseId }),
    created_at: workspace.createdAt.toISOString(),
  })
}

const hasSeveralCells = async ({ db }: { db: Database }): Promise<boolean> =>
  (await cells(db)).length > 1

export const workspaceCommands = [
  workspaceCreate,
  workspaceList,
  workspaceShow,
  workspaceSet,
  workspaceMoveCommand,
]
