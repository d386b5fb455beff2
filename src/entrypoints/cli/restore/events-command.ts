/**
 * `facteur restore events`: what a file of webhook calls knows of the hours that a restored backup
 * lost.
 */
import { statSync } from 'node:fs'
import { takeBackEvents, type TakenBack } from '../../../core/restore/take-back-events.ts'
import { restoredState } from '../../../db/restore/withheld-counts.ts'
import { withImportSource } from '../import-source.ts'
import { argument, workspaceFlag } from '../parameters.ts'
import { createProgressLine } from '../progress-line.ts'
import { CommandRefusal } from '../refusal.ts'
import { shownNumber, printed, type PrintedValue } from '../result.ts'
import { readText } from '../values.ts'
import { resolveWorkspace } from '../workspace-command.ts'
import { defineDatabaseCommand } from '../with-context.ts'
import { countWords } from './withheld-words.ts'

export const restoreEvents = defineDatabaseCommand({
  name: 'restore events',
  summary:
    'Take back from a file of events what left, and who was suppressed, between the backup and the restore',
  note: `The file holds bodies of webhook calls, one a line or as an array, or answers of GET /events. Held mail that it names as sent counts as sent:
release leaves it out. Bounces, complaints and unsubscriptions suppress their addresses again. You may run it again.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: { FILE: argument('The file of events; - is standard input.', readText) },
  flags: { workspace: workspaceFlag },
  examples: ['restore events --workspace acme webhook-calls.ndjson'],
  run: async (ctx, { FILE, workspace: W }) => {
    const { id, slug, databaseId } = await resolveWorkspace(ctx, W)
    const at = await ctx.inCell(databaseId)
    const restored = await restoredState(ctx.db)
    if (restored === null)
      throw new CommandRefusal(
        'refused',
        'This installation was never restored from a backup: nothing was lost.',
      )
    const line = createProgressLine(ctx, 'events')
    const taken = await withImportSource(FILE, ctx.signal, ({ open, name, path }) => {
      const size = statSync(path).size
      return takeBackEvents(at, {
        ...{ workspaceId: id, open, name, restoredFrom: restored.restoredFrom, signal: ctx.signal },
        onProgress: ({ bytes, events }) => line.show(bytes / size, events),
      })
    })
    return report(taken, { id, slug })
  },
})

function report(taken: TakenBack, { id, slug }: { id: number; slug: string }): PrintedValue {
  const {
    events,
    before,
    mails,
    recipients,
    begunCampaigns,
    suppressed,
    suppressedBefore,
    refused,
    reasons,
  } = taken
  const lines = [
    `${slug}: ${countWords(events, 'event was', 'events were')} read, ${shownNumber(before)} of them older than the backup.`,
    `${countWords(mails, 'mail')} and ${countWords(recipients, 'recipient')} of campaigns are now known as sent: release leaves them out.`,
    ...(begunCampaigns > 0
      ? [
          `${countWords(begunCampaigns, 'scheduled campaign')} began after the backup: release leaves such a campaign a draft.`,
        ]
      : []),
    `${countWords(suppressed, 'address is', 'addresses are')} suppressed again, ${shownNumber(suppressedBefore)} ${suppressedBefore === 1 ? 'was' : 'were'} already.`,
    ...(refused > 0
      ? [
          `${countWords(refused, 'place of the file is no event and was', 'places of the file are no events and were')} passed over:`,
        ]
      : []),
    ...reasons.map((reason) => `  ${reason}`),
  ]
  const json = {
    ...{
      id: String(id),
      slug,
      events,
      older_than_backup: before,
      mails,
      campaign_recipients: recipients,
    },
    ...{
      begun_campaigns: begunCampaigns,
      suppressed,
      suppressed_before: suppressedBefore,
      refused,
      reasons,
    },
  }
  return printed(json, lines.join('\n'))
}
