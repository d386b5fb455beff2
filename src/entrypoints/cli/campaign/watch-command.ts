/** `facteur campaign watch`: shows a campaign's progress until all recipients are handed over. */
import type { Campaign } from '../../../contract/campaigns.ts'
import type { RefusalExplained } from '../../../contract/workspace/refusals.ts'
import { explainCampaignRefusals } from '../../../core/campaigns/run/explain-campaign-refusals.ts'
import { presentCampaign } from '../../../core/presentation/present-campaign.ts'
import { campaignsById, type CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CommandContext } from '../command.ts'
import { listed, shownNumber } from '../result.ts'
import { sayRefusalNext } from '../say-refusal.ts'
import { defineCampaignCommand, exampleId } from './campaign-command.ts'

/**
 * Time between two reads: on a terminal, where the line is rewritten, and elsewhere, where each
 * read prints a line.
 */
const barMs = 250
const lineMs = 1_000
const barWidth = 30

export const campaignWatch = defineCampaignCommand({
  name: 'campaign watch',
  summary: 'Show the progress of a campaign until nothing is left to hand over',
  note: 'A bar on a terminal; elsewhere, and with --json, a line each second in which a count changed. Ctrl-C ends the command, not the campaign.',
  examples: [`campaign watch --workspace acme ${exampleId}`],
  run: (ctx) => {
    const { workspace, campaign } = ctx
    let last: Snapshot | null = null
    const pages = watch(ctx, workspace.id, campaign.id, (snapshot) => (last = snapshot))
    return listed({
      pages,
      columns: [
        { title: 'AT (UTC)', cell: ({ at }) => at.toISOString().slice(11, 19) },
        { title: 'STATUS', cell: statusOf },
        ...figures.map(([title, read]) => ({
          title,
          right: true as const,
          cell: ({ row }: Snapshot) => shownNumber(read(row)),
        })),
      ],
      json: ({ at, row }) => ({ at: at.toISOString(), ...progressOf(row) }),
      empty: 'Nothing was seen.',
      closing: () =>
        last === null
          ? null
          : (describeRefusal(last, workspace.slug) ?? describeDoubt(last.row, workspace.slug)),
    })
  },
})

/** `sending, paused: complaints` where there is more to say than the status. */
export const sayStatus = (
  { status, paused }: Pick<Campaign, 'status' | 'paused'>,
  reason: string | null = null,
): string => (paused ? `${status}, paused${reason === null ? '' : `: ${reason}`}` : status)

const statusOf = ({ row, refusal }: Snapshot): string =>
  sayStatus(presentCampaign(row), refusal?.what ?? row.pauseReason)

interface Snapshot {
  at: Date
  row: CampaignRow
  /** What it is paused for, where that is a refusal. */
  refusal: RefusalExplained | null
}

const figures: [string, (row: CampaignRow) => number][] = [
  ['RECIPIENTS', (row) => row.recipients],
  ['PENDING', (row) => row.progress.pending],
  ['SENT', (row) => row.progress.sent],
  ['FAILED', (row) => row.progress.failed],
  ['SUPPRESSED', (row) => row.progress.suppressed],
  ['IN DOUBT', (row) => row.progress.in_doubt],
]

function progressOf(row: CampaignRow) {
  const { id, status, paused, recipients, progress, in_doubt } = presentCampaign(row)
  return { id, status, paused, recipients, progress, in_doubt }
}

/** What mends the refusals that paused a campaign, and the command that resumes it. */
const describeRefusal = ({ row, refusal }: Snapshot, slug: string): string | null =>
  refusal &&
  `${sayRefusalNext(refusal)}\nThen: facteur campaign resume --workspace ${slug} ${row.id}`

/**
 * Explains recipients in doubt of a campaign that ended, and names the command that sends to them
 * again.
 */
function describeDoubt(row: CampaignRow, slug: string): string | null {
  const { in_doubt, status } = presentCampaign(row)
  if (in_doubt === null || status !== 'sent') return null
  return `${in_doubt.note}\nTo release them: facteur campaign release --workspace ${slug} ${row.id}`
}

/** Each read is one page. On a terminal only the last one is a line; the others move the bar. */
async function* watch(
  ctx: CommandContext,
  workspaceId: number,
  id: string,
  onSnapshot: (snapshot: Snapshot) => void,
): AsyncGenerator<Snapshot[]> {
  const bar = createBar(ctx)
  let lastLine = ''
  for (;;) {
    const [row] = await campaignsById(ctx.db, workspaceId, [id])
    if (!row) return
    const snapshot = { at: ctx.clock.now(), row, refusal: await refusalOf(ctx, workspaceId, row) }
    onSnapshot(snapshot)
    const now = JSON.stringify(progressOf(row))
    const over = row.status !== 'sending' && row.status !== 'scheduled'
    if (ctx.meter.changes) bar(snapshot)
    if (over) ctx.meter.clear()
    if (over || (!ctx.meter.changes && now !== lastLine)) yield [snapshot]
    if (over || ctx.signal.aborted) return
    lastLine = now
    await ctx.clock.sleep(ctx.meter.changes ? barMs : lineMs, ctx.signal).catch(() => undefined)
  }
}

async function refusalOf(
  ctx: CommandContext,
  workspaceId: number,
  row: CampaignRow,
): Promise<RefusalExplained | null> {
  if (row.pauseReason !== 'refusals') return null
  const { db, settings } = ctx
  return (await explainCampaignRefusals({ db, settings, language: 'en' }, { workspaceId, row }))
    .pauseRefusal
}

function createBar({ meter, clock }: CommandContext): (snapshot: Snapshot) => void {
  const began = { ms: clock.monotonicMs(), done: -1 }
  return (snapshot) => {
    const { row } = snapshot
    const { pending, failed, suppressed, in_doubt } = row.progress
    const done = row.recipients - pending
    if (began.done === -1) began.done = done
    const share = row.recipients === 0 ? 0 : done / row.recipients
    const filled = Math.round(share * barWidth)
    const seconds = (clock.monotonicMs() - began.ms) / 1000
    const perSecond = seconds > 0 ? (done - began.done) / seconds : 0
    const others = Object.entries({ failed, suppressed, 'in doubt': in_doubt }).filter(
      ([, count]) => count > 0,
    )
    meter.show(
      [
        `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`,
        `${shownNumber(done)} of ${shownNumber(row.recipients)}`,
        row.pausedAt === null ? `${shownNumber(Math.round(perSecond))}/s` : statusOf(snapshot),
        ...(perSecond > 0 && row.pausedAt === null
          ? [`${Math.ceil(pending / perSecond)} s left`]
          : []),
        ...others.map(([name, count]) => `${shownNumber(count)} ${name}`),
      ].join(', '),
    )
  }
}
