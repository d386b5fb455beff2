/** `facteur suppression import|export`: whole suppression lists, from and to files. */
import { suppressionReasons } from '../../contract/suppression.ts'
import {
  importSuppressions,
  type SuppressionImportResult,
} from '../../core/suppression/import-suppressions.ts'
import { presentSuppression } from '../../core/presentation/present-suppression.ts'
import { resolveWorkspace } from './workspace-command.ts'
import { reasonLines } from '../../core/files/import-reasons.ts'
import { withImportSource } from './import-source.ts'
import { argument, flag, formatFlag, refusedFlag } from './parameters.ts'
import { createProgressLine } from './progress-line.ts'
import { withRefusedReport } from './refused-report.ts'
import { listed, shownNumber, printed, type PrintedValue } from './result.ts'
import {
  checkListPlace,
  platformEntries,
  whichList,
  workspaceEntries,
} from './suppression-lists.ts'
import { readChoiceFlag, readText } from './values.ts'
import { defineDatabaseCommand } from './with-context.ts'

const reasonFlag = flag(
  'R',
  'Of lines that give none; manual where it is absent.',
  readChoiceFlag(suppressionReasons),
)

export const suppressionImport = defineDatabaseCommand({
  name: 'suppression import',
  summary: 'Suppress the addresses of a CSV file',
  note: `The first line names the columns: the address, and a reason (${suppressionReasons.join(', ')}) where there is one. Pending mail to an address is not sent
any more, and its subscriber is unsubscribed. You may run it again: the stronger reason stays.`.replaceAll(
    '\n',
    ' ',
  ),
  arguments: { FILE: argument('The CSV file; - is standard input.', readText) },
  flags: { ...whichList, reason: reasonFlag, refused: refusedFlag },
  checkLine: checkListPlace,
  examples: [
    'suppression import --workspace acme bounces.csv',
    'suppression import --platform --reason complaint complaints.csv',
  ],
  async run(ctx, { FILE, workspace: W, platform, reason, refused }) {
    const workspace = platform ? null : await resolveWorkspace(ctx, W ?? '')
    const workspaceId = workspace?.id ?? null
    const at = workspace ? await ctx.inCell(workspace.databaseId) : ctx
    const databases = await ctx.inCells()
    const line = createProgressLine(ctx, 'addresses')
    const result = await withImportSource(FILE, ctx.signal, ({ open }) =>
      withRefusedReport(refused, (onRefused) =>
        importSuppressions(at, {
          ...{
            open,
            workspaceId,
            databases,
            reason: reason ?? 'manual',
            onRefused,
            signal: ctx.signal,
          },
          onProgress: ({ bytesDone, bytes, lines }) => line.show(bytesDone / bytes, lines),
        }),
      ),
    )
    return report(result, workspaceId)
  },
})

function report(
  { lines, added, known, refused, finished }: SuppressionImportResult,
  workspaceId: number | null,
): PrintedValue {
  const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0)
  const text = [
    `${shownNumber(added)} suppressed, ${shownNumber(known)} were suppressed already, ${shownNumber(refusals)} refused.`,
    ...reasonLines(refused).map(([count, why]) => `  ${shownNumber(count)}  ${why}`),
    ...(finished ? [] : ['Stopped before its end: run it again.']),
  ]
  const json = {
    id: String(workspaceId ?? 'platform'),
    finished,
    lines,
    new: added,
    known,
    refused: refusals,
    reasons: refused,
  }
  return printed(json, text.join('\n'), !finished)
}

export const suppressionExport = defineDatabaseCommand({
  name: 'suppression export',
  summary: 'Write the suppressed addresses to standard output, newest first',
  note: 'Entries of erased contacts are written as erased@invalid, because only a hash of their address is stored.',
  flags: { ...whichList, format: formatFlag },
  checkLine: checkListPlace,
  examples: [
    'suppression export --workspace acme > suppressed.csv',
    'suppression export --platform --format json',
  ],
  run: (ctx, { workspace: W, platform, format }) =>
    listed({
      pages: platform ? platformEntries(ctx, null) : workspaceEntries(ctx, W ?? '', null),
      columns: [
        { title: 'email', cell: ({ email }) => email },
        { title: 'reason', cell: ({ reason }) => reason },
        { title: 'scope', cell: ({ scope }) => scope },
        { title: 'source_id', cell: ({ sourceId }) => sourceId ?? '' },
        { title: 'created_at', cell: ({ createdAt }) => createdAt.toISOString() },
      ],
      json: presentSuppression,
      empty: '',
      form: format ?? 'csv',
    }),
})
