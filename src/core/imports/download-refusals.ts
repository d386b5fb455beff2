/** GET /imports/{id}/refusals: streams the refused lines as a file for spreadsheets. */
import { existing } from '../../contract/errors.ts'
import { commandImport } from '../../db/subscribers/import-lists.ts'
import { fileById } from '../../db/subscribers/subscriber-files.ts'
import { refusedFile } from '../import-files/refused-file.ts'
import type { Verb } from '../verb.ts'

export const downloadRefusals: Verb<'downloadRefusals'> = async (ctx, { params, query }) => {
  const { db, workspaceId } = ctx
  const file = await fileById(db, workspaceId, params.id)
  const known = existing(file ?? (await commandImport(db, workspaceId, params.id)), { id: params.id })
  const refusalsOf = file?.importId ?? known.id
  const language = query.language ?? ctx.settings.language
  return { body: refusedFile(db, workspaceId, { id: refusalsOf, name: known.name.replace(/\.[^.]*$/, ''), language }) }
}
