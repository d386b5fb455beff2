/**
 * GET /suppression/imports/{id}/refusals: the refused lines of a suppression import, as a file for
 * spreadsheets.
 */
import { existing } from '../../contract/errors.ts'
import { suppressionImports } from '../../db/files/suppression-imports.ts'
import { isId } from '../../ground/ids.ts'
import { refusedFile } from '../files/refused-file.ts'
import type { Verb } from '../verb.ts'

export const downloadSuppressionRefusals: Verb<'downloadSuppressionRefusals'> = async (
  ctx,
  { params: { id }, query },
) => {
  const row = existing(
    isId(id) ? (await suppressionImports(ctx.db, ctx.workspaceId, { id, max: 1 }))[0] : null,
    { id },
  )
  const language = query.language ?? ctx.settings.language
  return {
    body: refusedFile(ctx.db, ctx.workspaceId, {
      ...{ id, name: 'suppression', language },
      layout: row.layout,
      first: row.refusals,
    }),
  }
}
