/**
 * `facteur campaign recipients` and `recount`: the rows of a campaign's ledger, and its counters
 * computed again from them.
 */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { detailsExpiredAt } from '../../../core/campaigns/expired-details.ts'
import { eachRecipient } from '../../../core/campaigns/each-recipient.ts'
import { csvLine } from '../../../ground/csv/write-csv.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import { recipientFilters, type RecipientEntry } from '../../../db/campaigns/campaign-recipients.ts'
import { recountCampaign } from '../../../db/campaigns/campaign-recount.ts'
import { flag, textFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import { listed, shownNumber, printed, shownTime } from '../result.ts'
import { readChoiceFlag } from '../values.ts'
import type { WorkspaceContext } from '../workspace-command.ts'
import { defineCampaignCommand, exampleId } from './campaign-command.ts'

export const campaignRecipients = defineCampaignCommand({
  name: 'campaign recipients',
  summary: 'List whom a campaign goes to, each with its status and the reason',
  flags: {
    status: flag(
      'S',
      `Only these: ${recipientFilters.join(', ')}.`,
      readChoiceFlag(recipientFilters),
    ),
    csv: textFlag('FILE', 'Writes a file for spreadsheets instead.'),
  },
  examples: [
    `campaign recipients --workspace acme ${exampleId} --status failed`,
    `campaign recipients --workspace acme ${exampleId} --csv recipients.csv`,
  ],
  run: async (ctx, { status, csv }) => {
    const { workspace, campaign } = ctx
    await refuseExpired(ctx)
    const pages = eachRecipient(ctx, { workspaceId: workspace.id, id: campaign.id, filter: status })
    if (csv !== null) {
      const lines = await writeFile(csv, pages)
      const text = `${csv} holds ${shownNumber(lines)} recipients.`
      return printed({ object: 'file', id: campaign.id, file: csv, recipients: lines }, text)
    }
    return listed({
      pages,
      columns: [
        { title: 'ADDRESS', cell: ({ email }) => email },
        { title: 'STATUS', cell: statusOf },
        { title: 'SENT (UTC)', cell: ({ sentAt }) => shownTime(sentAt) },
        { title: 'TRIES', right: true, cell: ({ attempts }) => String(attempts) },
        { title: 'REASON', cell: ({ reason }) => reason ?? '' },
      ],
      json: toRow,
      empty: 'None.',
    })
  },
})

/** Its outcome; while that is open, its progress. */
const statusOf = ({ place: location, status }: RecipientEntry): string =>
  location === 'pending' || location === 'in_doubt' ? location : status

const toRow = (entry: RecipientEntry) => ({
  email: entry.email,
  status: statusOf(entry),
  reason: entry.reason,
  response: entry.response,
  attempts: entry.attempts,
  sent_at: entry.sentAt?.toISOString() ?? null,
  delivered_at: entry.deliveredAt?.toISOString() ?? null,
  opened_at: entry.openedAt?.toISOString() ?? null,
  clicked_at: entry.clickedAt?.toISOString() ?? null,
})

async function writeFile(file: string, pages: AsyncIterable<RecipientEntry[]>): Promise<number> {
  let lines = 0
  async function* text(): AsyncGenerator<string> {
    for await (const page of pages) {
      const rows = page.map(toRow)
      if (lines === 0 && rows[0]) yield csvLine(Object.keys(rows[0]))
      lines += rows.length
      yield rows
        .map((row) => csvLine(Object.values(row).map((value) => String(value ?? ''))))
        .join('')
    }
  }
  await pipeline(Readable.from(text()), createWriteStream(file))
  return lines
}

export const campaignRecount = defineCampaignCommand({
  name: 'campaign recount',
  summary: 'Count a campaign again from its rows: progress and statistics',
  note: 'Changes nothing if all counters are right. May run while the campaign is sent and opened.',
  examples: [`campaign recount --workspace acme ${exampleId}`],
  run: async (ctx) => {
    const { db, workspace, campaign } = ctx
    await refuseExpired(ctx)
    const mended =
      (await recountCampaign(db, { workspaceId: workspace.id, campaignId: campaign.id })) ?? 0
    const sentence =
      mended === 0
        ? 'Every counter is what the rows say.'
        : `${shownNumber(mended)} counters were wrong and are mended.`
    return printed({ object: 'campaign_recount', id: campaign.id, mended }, sentence)
  },
})

/** The counters stay as they were: from rows that are gone they would all become zero. */
async function refuseExpired({
  db,
  workspace,
  campaign,
}: WorkspaceContext & { campaign: CampaignRow }): Promise<void> {
  const since = await detailsExpiredAt({ db, workspaceId: workspace.id }, campaign)
  if (since)
    throw new CommandRefusal(
      'refused',
      `The recipients of this campaign expired on ${shownTime(new Date(since))} UTC; its counts and statistics stay: facteur campaign stats --workspace ${workspace.slug} ${campaign.id}`,
    )
}
