/**
 * GET /campaigns/{id}/results/export: a campaign's results as CSV for a spreadsheet, or as JSON.
 */
import type { CampaignResults } from '../../../contract/workspace/campaign-results.ts'
import { csvLine } from '../../../ground/csv/write-csv.ts'
import { fileNameOf } from './file-name.ts'
import { readResults } from './get-campaign-results.ts'
import type { Verb } from '../../verb.ts'

/** Higher than any campaign's count, so that a file counts everything. */
const wholeCount = 1_000_000_000

export const exportCampaignResults: Verb<'exportCampaignResults'> = async (
  ctx,
  { params, query },
) => {
  const results = await readResults(ctx, {
    workspaceId: ctx.workspaceId,
    id: params.id,
    scannersMax: wholeCount,
  })
  const isJson = query.format === 'json'
  const text = isJson
    ? `${JSON.stringify(results, null, 2)}\n`
    : `\ufeff${linesOf(results).map(csvLine).join('')}`
  return {
    body: {
      type: isJson ? 'application/json' : 'text/csv; charset=utf-8',
      name: fileNameOf(results.campaign.name, 'results', query.format),
      bytes: Buffer.from(text),
    },
  }
}

/** Writes one line per figure: its group, name, number, and rate if it has one. */
function linesOf({
  counts,
  rates,
  delivery,
  timeline,
  audience,
  openers,
  scanners,
  links,
}: CampaignResults): string[][] {
  const line = (
    of: string,
    which: string,
    count: number,
    share: number | null | undefined = null,
  ): string[] => [...[of, which, String(count)], share === null ? '' : share.toFixed(4)]
  const shares: Record<string, number | null> = rates
  return [
    ['of', 'which', 'count', 'share'],
    ...Object.entries(counts).map(([name, count]) => line('counts', name, count, shares[name])),
    ...(delivery === null ? [] : (['reported', 'engaged', 'assumed'] as const)).map((name) =>
      line('delivered_known_by', name, delivery?.[name] ?? 0),
    ),
    ...timeline.flatMap(({ label, opened, clicked }) => [
      line('opened_in', label, opened),
      line('clicked_in', label, clicked),
    ]),
    ...Object.entries(openers).map(([name, count]) => line('openers', name, count)),
    ...(['opens', 'clicks'] as const).map((name) =>
      line('scanners_not_counted', name, scanners[name]),
    ),
    ...(['device', 'os', 'client'] as const).flatMap((of) =>
      audience[of].map((row) => line(of, row.label, row.count, row.share)),
    ),
    ...links.map(({ url, clicks, share }) => line('link', url, clicks, share)),
  ]
}
