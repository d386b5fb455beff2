/** `facteur segment export`: the contacts of a segment as CSV on standard output. */
import { openSegmentExport } from '../../core/audience/segments/export-segment.ts'
import { presentSubscriber } from '../../core/presentation/present-subscriber.ts'
import { segmentByName } from '../../db/audience/segments/named-segments.ts'
import type { SubscriberRow } from '../../db/audience/subscribers.ts'
import { argument } from './parameters.ts'
import { createProgressLine, type ProgressLine } from './progress-line.ts'
import { CommandRefusal } from './refusal.ts'
import { listed } from './result.ts'
import { readText } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

export const segmentExport = defineWorkspaceCommand({
  name: 'segment export',
  summary: 'Write the contacts of a segment as CSV',
  note: 'To standard output, newest first; progress goes to standard error. The contacts are those of one moment, and `subscriber import` reads the file.',
  arguments: { NAME: argument("The segment's name.", readText) },
  examples: ['segment export --workspace acme "Customers" > customers.csv'],
  run: async (ctx, { NAME }) => {
    const { db, makeId, workspace } = ctx
    const id = await segmentByName(db, workspace.id, NAME)
    if (id === null)
      throw new CommandRefusal(
        'not_found',
        `${workspace.slug} has no segment "${NAME}": "facteur segment list --workspace ${workspace.slug}" shows all.`,
      )
    const caller = { db, segmentDb: db, makeId, workspaceId: workspace.id }
    const { columns, count, pages } = await openSegmentExport(caller, id)
    return listed({
      form: 'csv',
      pages: counted(pages, count, createProgressLine(ctx, 'contacts')),
      columns: columns.map(({ title, value }) => ({ title, cell: value })),
      json: presentSubscriber,
      empty: '',
    })
  },
})

async function* counted(
  pages: AsyncIterable<SubscriberRow[]>,
  count: number,
  line: ProgressLine,
): AsyncGenerator<SubscriberRow[]> {
  let done = 0
  for await (const page of pages) {
    yield page
    done += page.length
    line.show(done / count, done)
  }
}
