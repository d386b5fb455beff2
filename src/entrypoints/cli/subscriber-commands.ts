/** `facteur subscriber …`: the subscribers of a workspace, in bulk. */
import { presentSubscriber } from '../../core/presentation/present-subscriber.ts'
import { subscriberStatuses } from '../../contract/subscribers.ts'
import { subscriberColumns } from '../../core/audience/subscribers/subscriber-columns.ts'
import { fieldKeysOf } from '../../db/audience/subscriber-fields.ts'
import { subscriberPage } from '../../db/audience/subscriber-search.ts'
import { deriveList } from './derive/derive-list.ts'
import { keysetPages, type KeysetPage } from './keyset-pages.ts'
import { flag, formatFlag } from './parameters.ts'
import { listed } from './result.ts'
import { subscriberImport } from './subscriber-import-command.ts'
import { readChoiceFlag } from './values.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const status = flag(
  'S',
  `Only those who are ${subscriberStatuses.join(', ')}.`,
  readChoiceFlag(subscriberStatuses),
)

const subscriberList = deriveList('listSubscribers', {
  note: 'Newest first, all of them or those that the flags choose.',
  values: { q: 'TEXT' },
  examples: [
    'subscriber list --workspace acme',
    'subscriber list --workspace acme --status pending',
  ],
  columns: ['email', 'status', 'firstName', 'lastName', 'source', 'created_at'],
  empty: 'There is no such subscriber.',
})

const subscriberExport = defineWorkspaceCommand({
  name: 'subscriber export',
  summary: 'Write the subscribers of a workspace to standard output, newest first',
  note: `CSV for spreadsheets and for subscriber import, or JSON. In CSV, a cell that a spreadsheet would take for a formula (it begins with = + - @) has
an apostrophe before it; subscriber import takes it off again.`.replaceAll('\n', ' '),
  flags: { status, format: formatFlag },
  examples: [
    'subscriber export --workspace acme > people.csv',
    'subscriber export --workspace acme --status subscribed --format json',
  ],
  async run(ctx, { status: requested, format }) {
    const { id } = ctx.workspace
    return listed({
      pages: keysetPages(
        (page: KeysetPage<string>) => subscriberPage(ctx.db, id, { status: requested, ...page }),
        (last) => last.id,
      ),
      columns: subscriberColumns(await fieldKeysOf(ctx.db, id)).map(({ title, value }) => ({
        title,
        cell: value,
      })),
      json: presentSubscriber,
      empty: '',
      form: format ?? 'csv',
    })
  },
})

export const subscriberCommands = [subscriberImport, subscriberExport, subscriberList]
