/** `facteur campaign recipients`: each recipient with its status and reason, as a table or as a file for a spreadsheet. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { eachRecipient } from '../../../core/campaigns/each-recipient.ts'
import { csvLine } from '../../../csv/write-csv.ts'
import { recipientFilters } from '../../../db/campaigns/campaign-recipients.ts'
import type { RecipientEntry, RecipientFilter } from '../../../db/campaigns/campaign-recipients.ts'
import { CommandRefusal } from '../refusal.ts'
import { listed, numberCell, printed, timeCell } from '../result.ts'
import { readText } from '../values.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { campaignArgument, resolveCampaign, ofWorkspace } from './find-campaign.ts'

const exampleId = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'

export const campaignRecipients = defineDatabaseCommand({
  name: 'campaign recipients',
  summary: 'Lists whom a campaign goes to, each with its status and the reason',
  arguments: { ID: campaignArgument },
  flags: {
    ...ofWorkspace,
    status: { value: 'S', text: `Only these: ${recipientFilters.join(', ')}.`, required: false, read: readFilter },
    csv: { value: 'FILE', text: 'Writes a file for spreadsheets instead.', required: false, read: readText },
  },
  examples: [
    `campaign recipients --workspace acme ${exampleId} --status failed`,
    `campaign recipients --workspace acme ${exampleId} --csv recipients.csv`,
  ],
  run: async (ctx, { status, csv, ...input }) => {
    const { workspace, campaign } = await resolveCampaign(ctx, input)
    const pages = eachRecipient(ctx, workspace.id, { id: campaign.id, filter: status })
    if (csv !== null) {
      const lines = await writeFile(csv, pages)
      return printed(
        { object: 'file', id: campaign.id, file: csv, recipients: lines },
        `${csv} holds ${numberCell(lines)} recipients.`,
      )
    }
    return listed({
      pages,
      columns: [
        { title: 'ADDRESS', cell: ({ email }) => email },
        { title: 'STATUS', cell: statusOf },
        { title: 'SENT (UTC)', cell: ({ sentAt }) => timeCell(sentAt) },
        { title: 'TRIES', right: true, cell: ({ attempts }) => String(attempts) },
        { title: 'REASON', cell: ({ reason }) => reason ?? '' },
      ],
      json: show,
      empty: 'None.',
    })
  },
})

/** Its outcome; while that is open, its progress. */
const statusOf = ({ place, status }: RecipientEntry): string => (place === 'pending' || place === 'in_doubt' ? place : status)

const show = (entry: RecipientEntry) => ({
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
    let titled = false
    for await (const page of pages) {
      const rows = page.map(show)
      if (!titled && rows[0]) yield csvLine(Object.keys(rows[0]))
      titled = true
      lines += rows.length
      yield rows.map((row) => csvLine(Object.values(row).map((value) => String(value ?? '')))).join('')
    }
  }
  await pipeline(Readable.from(text()), createWriteStream(file))
  return lines
}

function readFilter(text: string): RecipientFilter {
  const filter = recipientFilters.find((name) => name === text)
  if (!filter) throw new CommandRefusal('usage', `"${text}" is none of ${recipientFilters.join(', ')}.`)
  return filter
}
