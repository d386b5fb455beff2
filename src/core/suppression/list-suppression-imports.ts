/** GET /suppression/imports: the latest suppression imports, newest first, without their refused lines. */
import type { AnswerOf } from '../../contract/operations.ts'
import { suppressionImports } from '../../db/suppression/suppression-imports.ts'
import type { CallContext } from '../context.ts'
import { presentSuppressionImport } from './get-suppression-import.ts'

const importsMost = 20

export async function listSuppressionImports(ctx: CallContext): Promise<AnswerOf<'listSuppressionImports'>> {
  const rows = await suppressionImports(ctx.db, ctx.workspaceId, { id: null, most: importsMost })
  const data = rows.map((row) => ({ ...presentSuppressionImport(row), refusals: [] }))
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
