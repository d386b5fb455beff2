/**
 * GET /suppression/imports: the latest suppression imports, newest first, without their refused
 * lines.
 */
import { suppressionImports } from '../../db/files/suppression-imports.ts'
import { presentSuppressionImport } from './get-suppression-import.ts'
import type { Verb } from '../verb.ts'

const importsMax = 20

export const listSuppressionImports: Verb<'listSuppressionImports'> = async (ctx) => {
  const rows = await suppressionImports(ctx.db, ctx.workspaceId, { id: null, max: importsMax })
  const data = rows.map((row) => ({ ...presentSuppressionImport(row), refusals: [] }))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
