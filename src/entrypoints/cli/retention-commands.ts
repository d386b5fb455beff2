/**
 * `facteur retention …`: how long each class of data is stored, in the installation or in one
 * workspace.
 */
import {
  retentionClasses,
  retentionClassNames,
  retentionDaysMax,
  type RetentionClassName,
} from '../../contract/retention.ts'
import { rfc3339 } from '../../core/input/read-time.ts'
import {
  countDeleted,
  setRetentionOfInstallation,
  setRetentionOfWorkspace,
} from '../../core/workspaces/set-retention.ts'
import {
  defaultLimitsFrom,
  installationRetention,
  workspaceRetention,
  type WorkspaceLimit,
} from '../../db/retention/retention-limits.ts'
import { diskUsage, sumOfUsage, type DiskClass } from '../../db/retention/disk-by-class.ts'
import type { WorkspaceRow } from '../../db/workspaces/workspaces.ts'
import type { CommandContext } from './command.ts'
import { confirm } from './confirm.ts'
import { argument, textFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, shownNumber, printed, shownTime, type Listed } from './result.ts'
import { shownBytes } from '../../ground/shown-values.ts'
import { describeUsage } from './doctor/check-growth.ts'
import { readChoiceFlag } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'
import { resolveWorkspace } from './workspace-command.ts'

const footnote = 'Suppressions are stored for ever, evidence of consent as long as its contact.'

const retentionShow = defineDatabaseCommand({
  name: 'retention show',
  summary: 'Show how long each class of data is stored',
  note: `${footnote} docs/retention.md says what each class holds.`,
  flags: {
    workspace: textFlag(
      'W',
      'The limits of this workspace (its id or slug); absent: of the installation.',
    ),
  },
  examples: ['retention show', 'retention show --workspace acme'],
  run: async (ctx, { workspace }) =>
    workspace === null
      ? showInstallation(ctx)
      : showWorkspace(ctx, await resolveWorkspace(ctx, workspace)),
})

async function showInstallation(ctx: CommandContext): Promise<Listed> {
  const { db } = ctx
  const inCells = await ctx.inCells()
  const [limits, usages, from] = await Promise.all([
    installationRetention(db),
    Promise.all(inCells.map((each) => diskUsage(each.db))),
    defaultLimitsFrom(db),
  ])
  const usage = sumOfUsage(usages)
  const bytesOf = (name: DiskClass): number | null =>
    usage.classes.find((sample) => sample.class === name)?.bytes ?? null
  const defaultOf = (name: RetentionClassName) => retentionClasses[name].daysDefault
  return listed({
    pages: onePage(retentionClassNames.map((name) => ({ name, ...limits[name] }))),
    columns: [
      { title: 'CLASS', cell: ({ name }) => name },
      { title: 'STORED', cell: ({ days }) => daysCell(days) },
      { title: 'DEFAULT', cell: ({ name }) => daysCell(defaultOf(name)) },
      {
        title: 'EXPIRED BEFORE (UTC)',
        cell: ({ before }) => (before === null ? '' : shownTime(before)),
      },
      { title: 'ON DISK', right: true, cell: ({ name }) => bytesText(bytesOf(name)) },
    ],
    closing: () => `${describeUsage(usage)}.${from ? ` ${waitsText(from)}` : ''}`,
    json: ({ name, days, before }) => ({
      bytes: bytesOf(name),
      ...{
        id: name,
        days,
        days_default: defaultOf(name),
        days_min: retentionClasses[name].daysMin,
      },
      expired_before: before && rfc3339(before),
    }),
    empty: '',
  })
}

const waitsText = (from: Date): string =>
  `This installation was upgraded: limits that nobody set apply from ${shownTime(from)} (UTC) on. Set others before that.`

const bytesText = (bytes: number | null): string => (bytes === null ? '' : shownBytes(bytes))

async function showWorkspace(
  ctx: CommandContext,
  { id, databaseId }: WorkspaceRow,
): Promise<Listed> {
  const { db } = await ctx.inCell(databaseId)
  const limits = await workspaceRetention(db, id)
  return listed({
    pages: onePage(retentionClassNames.map((name) => ({ name, ...limits[name] }))),
    columns: [
      { title: 'CLASS', cell: ({ name }) => name },
      { title: 'STORED', cell: ({ days }) => daysCell(days) },
      { title: 'INSTALLATION', cell: ({ installationDays }) => daysCell(installationDays) },
      { title: 'OWN LIMIT', cell: ({ ownDays }) => (ownDays === null ? '' : daysCell(ownDays)) },
      {
        title: 'EXPIRED BEFORE (UTC)',
        cell: ({ before }) => (before === null ? '' : shownTime(before)),
      },
    ],
    json: ({ name, days, installationDays, ownDays, before }) => ({
      ...{
        id: name,
        days,
        installation_days: installationDays,
        own_days: ownDays,
        days_min: retentionClasses[name].daysMin,
      },
      expired_before: before && rfc3339(before),
    }),
    empty: '',
  })
}

async function* onePage<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows
}

const daysCell = (days: number | null): string =>
  days === null ? 'for ever' : days === 1 ? '1 day' : `${shownNumber(days)} days`

const retentionSet = defineDatabaseCommand({
  name: 'retention set',
  summary: 'Set how long a class of data is stored',
  note:
    'A shorter limit deletes for good: older data can no longer be read at once, and is deleted afterwards (docs/retention.md says when). The command says how much that is and asks. ' +
    `A longer limit does not restore deleted data. The limit of a workspace may only be shorter than that of the installation; whichever is shorter applies. ${footnote}`,
  arguments: {
    CLASS: argument(
      `One of ${retentionClassNames.join(', ')}.`,
      readChoiceFlag(retentionClassNames),
    ),
    DAYS: argument(
      'Days; "forever"; or "default", which of a workspace is the limit of the installation.',
      readDays,
    ),
  },
  flags: {
    workspace: textFlag(
      'W',
      'Only in this workspace (its id or slug); absent: in the installation.',
    ),
    yes: { text: 'Does not ask.' },
  },
  checkLine: ({ CLASS, DAYS, workspace }) => {
    const { daysMin } = retentionClasses[CLASS]
    if (typeof DAYS === 'number' && DAYS < daysMin)
      throw new CommandRefusal('usage', `${CLASS} is stored for at least ${daysCell(daysMin)}.`)
    if (DAYS === 'forever' && workspace !== null)
      throw new CommandRefusal(
        'usage',
        'A workspace can only shorten: give days, or "default" for the limit of the installation.',
      )
  },
  examples: [
    'retention set bodies 14',
    'retention set events 7 --workspace acme --yes',
    'retention set audit_log forever',
  ],
  run: async (ctx, { CLASS: name, DAYS, workspace: slug, yes }) => {
    const workspace = slug === null ? null : await resolveWorkspace(ctx, slug)
    const at = workspace ? await ctx.inCell(workspace.databaseId) : ctx
    const inCells = workspace ? [at] : await ctx.inCells()
    const { days, before } = await limitsOf(at, { workspace, name, requested: DAYS })
    const location = workspace === null ? 'the installation' : workspace.slug
    const change = { workspaceId: workspace?.id ?? null, name, days }
    const { rows, isMore } = await countDeleted(inCells, {
      ...change,
      days: DAYS === 'default' && workspace ? before.days : days,
    })
    const deleted = `${isMore ? 'more than ' : ''}${shownNumber(rows)} ${units[name]}`
    if (rows > 0 && !yes)
      await confirm(
        `${name} of ${location}: ${daysCell(before.days)} becomes ${daysCell(days)}. ${deleted} are deleted for good.`,
        name,
      )
    if (workspace === null) await setRetentionOfInstallation(inCells, { name, days })
    else
      await setRetentionOfWorkspace({ ...at, workspaceId: workspace.id }, [
        { name, days: DAYS === 'default' ? null : days },
      ])
    return printed(
      {
        id: name,
        workspace_id: workspace && String(workspace.id),
        days,
        days_before: before.days,
        rows_deleted: rows,
        is_more: isMore,
      },
      `${name} of ${location}: stored ${storedText(days)}.${rows > 0 ? ` ${deleted} can no longer be read, and are deleted afterwards: docs/retention.md says when.` : ' Nothing is deleted by it now.'}`,
    )
  },
})

type Requested = number | 'forever' | 'default'

/**
 * Days that will apply, and the limit before. Throws `refused` for a workspace that would exceed
 * the installation.
 */
async function limitsOf(
  { db }: CommandContext,
  {
    workspace,
    name,
    requested,
  }: { workspace: WorkspaceRow | null; name: RetentionClassName; requested: Requested },
): Promise<{ days: number | null; before: Pick<WorkspaceLimit, 'days'> }> {
  if (workspace === null) {
    const before = (await installationRetention(db))[name]
    return {
      days:
        requested === 'forever'
          ? null
          : requested === 'default'
            ? retentionClasses[name].daysDefault
            : requested,
      before,
    }
  }
  const before = (await workspaceRetention(db, workspace.id))[name]
  const { installationDays } = before
  if (typeof requested === 'number' && installationDays !== null && requested > installationDays)
    throw new CommandRefusal(
      'refused',
      `The installation stores ${name} ${storedText(installationDays)}, and a workspace can only shorten: give ${installationDays} or less, or raise the installation's first.`,
    )
  return { days: typeof requested === 'number' ? requested : installationDays, before }
}

const storedText = (days: number | null): string =>
  days === null ? 'for ever' : `for ${daysCell(days)}`

/** What `countDeleted` counts. */
const units: Record<RetentionClassName, string> = {
  bodies: "messages' texts and files",
  captured: 'captured mails',
  delivery_details: 'opens, clicks and recipients of campaigns',
  raw_notices: 'notices',
  events: 'events with their deliveries',
  requests: 'calls',
  audit_log: 'entries',
  messages: 'messages',
}

function readDays(text: string): Requested {
  if (text === 'forever' || text === 'default') return text
  const days = Number(text)
  if (/^\d+$/.test(text) && days >= 1 && days <= retentionDaysMax) return days
  throw new CommandRefusal(
    'usage',
    `"${text}" is neither a whole number of days from 1 to ${retentionDaysMax} nor forever or default.`,
  )
}

export const retentionCommands = [retentionShow, retentionSet]
