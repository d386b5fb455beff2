/** GET /imports: imports from browsers and from commands, newest first. */
import { limits } from '../../contract/limits.ts'
import { importPage } from '../../db/subscribers/import-lists.ts'
import { pageOf, readCursor } from '../input/cursor.ts'
import { presentImportEntry } from './present-import.ts'
import type { Verb } from '../verb.ts'

export const listImports: Verb<'listImports'> = async (ctx, { query }) => {
  const limit = query.limit ?? limits.pageDefault
  const binding = [ctx.workspaceId, 'imports']
  const before = readCursor(query.cursor, binding)?.id ?? null
  const rows = await importPage(ctx.db, ctx.workspaceId, { before, most: limit + 1 })
  const place = (row: (typeof rows)[number]) => ({ at: row.createdAt.toISOString(), id: row.id })
  return { body: pageOf(rows, { limit, binding, place, show: presentImportEntry }) }
}
