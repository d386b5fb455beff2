/** `facteur restore review`, `release` and `discard`: what a person decides after a restore. */
import {
  decideWithheldCampaign,
  decideWithheldOfWorkspace,
  type Decided,
  type WithheldDecision,
} from '../../../core/restore/decide-withheld.ts'
import {
  campaignsInDoubt,
  withheldByWorkspace,
  withheldCampaigns,
  withheldPieces,
  restoredState,
  type CampaignInDoubt,
  type WithheldCampaign,
  type Restored,
} from '../../../db/restore/withheld-counts.ts'
import type { Command, CommandContext } from '../command.ts'
import { anyWorkspaceFlag, textFlag } from '../parameters.ts'
import { confirm } from '../confirm.ts'
import { createProgressLine } from '../progress-line.ts'
import { CommandRefusal } from '../refusal.ts'
import { shownNumber, printed, shownTime, type Result } from '../result.ts'
import { findCellOf } from '../../../database/cells/cells.ts'
import type { Database } from '../../../database/client/database.ts'
import { resolveWorkspace } from '../workspace-command.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { exampleId } from '../campaign/campaign-command.ts'
import {
  countWords,
  doubtLines,
  withheldLines,
  jsonOfDoubt,
  jsonOfWithheld,
  jsonOfWithheldCampaign,
  knownWords,
} from './withheld-words.ts'

export const restoreReview = defineDatabaseCommand({
  name: 'restore review',
  summary:
    'Show what is held after a restore: of each workspace and campaign how much, and since when',
  note: 'The backup alone cannot say which of it left between the backup and the restore.',
  examples: ['restore review', 'restore review --json'],
  run: async (ctx) => {
    const restored = await restoredState(ctx.db)
    const withheld = await inAll(ctx, withheldByWorkspace)
    const campaigns = await inAll(ctx, withheldCampaigns)
    const doubts = restored === null ? [] : await inAll(ctx, campaignsInDoubt)
    const json = {
      restored_at: restored?.restoredAt.toISOString() ?? null,
      restored_from: restored?.restoredFrom?.toISOString() ?? null,
      data: withheld.map(jsonOfWithheld),
      campaigns: campaigns.map(jsonOfWithheldCampaign),
      in_doubt: doubts.map(jsonOfDoubt),
    }
    if (restored === null)
      return printed(json, 'This installation was never restored from a backup: nothing is held.')
    if (withheld.length === 0)
      return printed(
        json,
        [`${windowOf(restored)} Nothing is held any more.`, ...doubtLines(doubts)].join('\n'),
      )
    const lines = campaigns.map(lineOfCampaign)
    return printed(
      json,
      [
        windowOf(restored),
        ...withheldLines(withheld, { now: ctx.clock.now(), isReview: true }),
        ...(lines.length > 0 ? ['Campaigns:', ...lines] : []),
        ...doubtLines(doubts),
      ].join('\n'),
    )
  },
})

function lineOfCampaign({
  id,
  name,
  slug,
  was,
  at,
  recipients,
  pending,
  knownSent,
}: WithheldCampaign): string {
  const about = `- ${slug}: "${name}" (${id})`
  if (was === 'sending')
    return `${about} was sending since ${shownTime(at)} UTC: ${shownNumber(pending)} of ${shownNumber(recipients)} to go${knownWords(knownSent)}`
  const note = knownSent === null ? '' : '; mail of it has left since, so it stays a draft'
  return `${about} was scheduled for ${shownTime(at)} UTC${note}`
}

const windowOf = ({ restoredAt, restoredFrom, copyShownBy }: Restored): string =>
  copyShownBy !== null
    ? `The start at ${shownTime(restoredAt)} UTC found a copy of another database (${copyShownBy})${restoredFrom === null ? '' : `, from ${shownTime(restoredFrom)} UTC or later`}.`
    : restoredFrom === null
      ? `Restored at ${shownTime(restoredAt)} UTC, from a moment that is not known here.`
      : `Restored at ${shownTime(restoredAt)} UTC, from ${shownTime(restoredFrom)} UTC: what was pending then may have left between the two.`

const which = {
  workspace: anyWorkspaceFlag,
  campaign: textFlag('ID', 'Only this campaign, which restore review shows.'),
  all: { text: 'Everything that is held, in every workspace.' },
  yes: { text: 'Does not ask.' },
}

function decide(decision: WithheldDecision, words: Pick<Command, 'summary' | 'note'>): Command {
  return defineDatabaseCommand({
    name: `restore ${decision}`,
    ...words,
    flags: which,
    checkLine({ workspace, campaign, all }) {
      if ([workspace !== null, campaign !== null, all].filter(Boolean).length !== 1)
        throw new CommandRefusal(
          'usage',
          'Give --workspace W, --campaign ID or --all, one of the three.',
        )
    },
    examples: [
      `restore ${decision} --all --yes`,
      `restore ${decision} --workspace acme --yes`,
      `restore ${decision} --campaign ${exampleId} --yes`,
    ],
    run: (ctx, { workspace, campaign, yes }) =>
      campaign === null
        ? decideWorkspaces(ctx, { decision, workspace, yes })
        : decideCampaign(ctx, { decision, id: campaign, yes }),
  })
}

export const restoreRelease = decide('release', {
  summary: 'Let what is held after a restore go on from where it was',
  note: 'Mail that left between the backup and the restore leaves once more. Scheduled mail and campaigns keep their times.',
})

export const restoreDiscard = decide('discard', {
  summary: 'Give up what is held after a restore: it never leaves',
  note: `Single mails fail with the cause discarded, webhooks hear of it, and the quota of those that were not begun is given back. A campaign that was
sending is cancelled, a scheduled one stays a draft. Webhook deliveries fail and can be replayed; sign-ups are deleted; imports stay stopped.`.replaceAll(
    '\n',
    ' ',
  ),
})

const done = { release: 'Released', discard: 'Discarded' } as const

async function decideWorkspaces(
  ctx: CommandContext,
  {
    decision,
    workspace,
    yes,
  }: { decision: WithheldDecision; workspace: string | null; yes: boolean },
): Promise<Result> {
  const only = workspace === null ? null : await resolveWorkspace(ctx, workspace)
  const withheld = (await inAll(ctx, withheldByWorkspace)).filter(
    ({ workspaceId }) => only === null || workspaceId === only.id,
  )
  if (withheld.length === 0)
    return printed({ data: [] }, `Nothing is held${only === null ? '' : ` in ${only.slug}`}.`)
  if (!yes)
    await confirm(
      sentenceOf(
        decision,
        withheld.map(({ slug }) => slug),
      ),
      decision,
    )
  // A campaign that goes on hides which of its leases were those of the copy.
  const doubts = await doubtsAfter(ctx, decision, ({ workspaceId }) =>
    withheld.some((each) => each.workspaceId === workspaceId),
  )
  const results: (Decided & { workspaceId: number; slug: string })[] = []
  const total = Math.max(
    1,
    withheld.reduce((sum, each) => sum + withheldPieces(each), 0),
  )
  const line = createProgressLine(ctx, 'pieces of work')
  let before = 0
  for (const { workspaceId, slug, ...counts } of withheld) {
    const onProgress = (decided: number): void =>
      line.show(Math.min(1, (before + decided) / total), before + decided)
    const context = await contextOf(ctx, workspaceId)
    const decided = await decideWithheldOfWorkspace(context, {
      workspaceId,
      decision,
      signal: ctx.signal,
      onProgress,
    })
    results.push({ workspaceId, slug, ...decided })
    before += withheldPieces(counts)
  }
  const lines = results.map(
    ({ slug, mails, campaigns, deliveries, signUps, imports }) =>
      `${done[decision]} in ${slug}: ${countWords(mails, 'mail')}, ${countWords(campaigns, 'campaign')}, ${countWords(deliveries, 'webhook delivery', 'webhook deliveries')}, ${countWords(signUps, 'sign-up')}, ${countWords(imports, 'import')}.`,
  )
  const json = results.map(
    ({ workspaceId, slug, mails, campaigns, deliveries, signUps, imports }) => ({
      ...{
        id: String(workspaceId),
        slug,
        mails,
        campaigns,
        webhook_deliveries: deliveries,
        sign_ups: signUps,
        imports,
      },
    }),
  )
  return printed(
    { data: json, in_doubt: doubts.map(jsonOfDoubt) },
    [...lines, ...doubtLines(doubts)].join('\n'),
  )
}

/** What the cells hold, one after the other. */
async function inAll<T>(ctx: CommandContext, read: (db: Database) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (const { db } of await ctx.inCells()) all.push(...(await read(db)))
  return all
}

const contextOf = async (ctx: CommandContext, workspaceId: number): Promise<CommandContext> =>
  ctx.inCell((await findCellOf(ctx.db, workspaceId)) ?? ctx.databaseId)

/** Those that a release leaves to `campaign release`; a discard sends nothing. */
async function doubtsAfter(
  ctx: CommandContext,
  decision: WithheldDecision,
  isDecided: (campaign: CampaignInDoubt) => boolean,
): Promise<CampaignInDoubt[]> {
  return decision === 'release' ? (await inAll(ctx, campaignsInDoubt)).filter(isDecided) : []
}

const sentenceOf = (decision: WithheldDecision, slugs: string[]): string =>
  decision === 'release'
    ? `What is held in ${slugs.join(', ')} would leave now or at its time, some of it perhaps a second time.`
    : `What is held in ${slugs.join(', ')} would never leave.`

async function decideCampaign(
  ctx: CommandContext,
  { decision, id, yes }: { decision: WithheldDecision; id: string; yes: boolean },
): Promise<Result> {
  const campaign = (await inAll(ctx, withheldCampaigns)).find((each) => each.id === id)
  if (!campaign)
    throw new CommandRefusal(
      'not_found',
      `No campaign ${id} is held: facteur restore review shows those that are.`,
    )
  const { workspaceId, name, slug, pending } = campaign
  if (!yes) await confirm(`"${name}": ${sentenceOf(decision, [slug])}`, decision)
  const doubts = await doubtsAfter(ctx, decision, (each) => each.id === id)
  await decideWithheldCampaign(await contextOf(ctx, workspaceId), {
    workspaceId,
    id,
    name,
    decision,
  })
  return printed(
    { ...jsonOfWithheldCampaign(campaign) },
    [
      `${done[decision]}: "${name}" of ${slug}, ${countWords(pending, 'recipient')} to go.`,
      ...doubtLines(doubts),
    ].join('\n'),
  )
}
