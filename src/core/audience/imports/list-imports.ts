/** GET /imports: imports from browsers and from commands, newest first. */
import { importPage } from '../../../db/audience/import-lists.ts'
import { askedPage, byCreation, pageOf } from '../../input/cursor.ts'
import { presentImportEntry } from './present-import.ts'
import type { Verb } from '../../verb.ts'

export const listImports: Verb<'listImports'> = async (ctx, { query }) => {
  const page = askedPage(query, [ctx.workspaceId, 'imports'])
  const rows = await importPage(ctx.db, ctx.workspaceId, {
    max: page.max,
    before: page.before?.id ?? null,
  })
  return { body: pageOf(rows, { ...page, position: byCreation, show: presentImportEntry }) }
}
