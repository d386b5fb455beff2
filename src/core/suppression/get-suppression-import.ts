/**
 * GET /suppression/imports/{id}: the progress of a suppression import, and the lines refused so
 * far.
 */
import { existing } from '../../contract/errors.ts'
import type { SuppressionImport } from '../../contract/workspace/suppression.ts'
import { firstRefusals } from '../../db/audience/import-lists.ts'
import {
  suppressionImports,
  type SuppressionImportRow,
} from '../../db/files/suppression-imports.ts'
import { isId } from '../../ground/ids.ts'
import type { CallContext } from '../context.ts'
import type { Verb } from '../verb.ts'

export const getSuppressionImport: Verb<'getSuppressionImport'> = async (ctx, { params }) => {
  return { body: await findSuppressionImport(ctx, params.id) }
}

/** Refused lines that the page shows; the download has all of them. */
const refusalsMax = 20

/** Throws `not_found`. */
export async function findSuppressionImport(
  ctx: CallContext,
  id: string,
): Promise<SuppressionImport> {
  const row = existing(
    isId(id) ? (await suppressionImports(ctx.db, ctx.workspaceId, { id, max: 1 }))[0] : null,
    { id },
  )
  const refusals = await firstRefusals(ctx.db, ctx.workspaceId, id, refusalsMax)
  return {
    ...presentSuppressionImport(row),
    refusals: [...row.refusals, ...refusals].slice(0, refusalsMax),
  }
}

/** Includes only the number of refused lines. */
export const presentSuppressionImport = (row: SuppressionImportRow): SuppressionImport => ({
  object: 'suppression_import',
  id: row.id,
  status:
    row.failure !== null
      ? 'failed'
      : row.finishedAt
        ? 'finished'
        : row.isStale
          ? 'interrupted'
          : 'running',
  progress: row.finishedAt ? 1 : row.bytes === 0 ? 0 : Math.min(1, row.bytesDone / row.bytes),
  ...{ lines: row.lines, added: row.added, known: row.known, refusals: [], failure: row.failure },
  refused: Object.values(row.refused).reduce((sum, count) => sum + count, 0),
  started_at: row.startedAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
})
