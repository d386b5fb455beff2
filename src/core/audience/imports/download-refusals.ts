/** GET /imports/{id}/refusals: streams the refused lines as a file for spreadsheets. */
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { readHeader } from '../../../ground/csv/read-file.ts'
import { existing } from '../../../contract/errors.ts'
import { commandImport } from '../../../db/audience/import-lists.ts'
import { fileById, type FileRow } from '../../../db/audience/subscriber-files.ts'
import type { FileLayout } from '../../../db/files/import-refusals.ts'
import { layoutOfImport } from '../../../db/audience/subscriber-imports.ts'
import type { CallContext } from '../../context.ts'
import { refusedFile } from '../../files/refused-file.ts'
import { layoutOf } from '../../files/refused-lines.ts'
import { PieceMissing, readPieces } from '../../files/file-pieces.ts'
import type { Verb } from '../../verb.ts'

export const downloadRefusals: Verb<'downloadRefusals'> = async (ctx, { params, query }) => {
  const { db, workspaceId } = ctx
  const file = await fileById(db, workspaceId, params.id)
  const known = existing(file ?? (await commandImport(db, workspaceId, params.id)), {
    id: params.id,
  })
  const refusalsOf = file?.importId ?? known.id
  const language = query.language ?? ctx.settings.language
  const layout =
    (await layoutOfImport(db, workspaceId, refusalsOf)) ?? (file && (await layoutOfFile(ctx, file)))
  const name = known.name.replace(/\.[^.]*$/, '')
  return { body: refusedFile(db, workspaceId, { id: refusalsOf, name, language, layout }) }
}

/** Of a dry run, whose file is still stored: its first line says it. */
async function layoutOfFile(
  { db, workspaceId }: CallContext,
  file: FileRow,
): Promise<FileLayout | null> {
  if (!file.hasPieces) return null
  try {
    return layoutOf(
      await readHeader(() => readPieces(db, workspaceId, file)),
      file.targets?.indexOf('email') ?? 0,
    )
  } catch (error) {
    // It is deleted at this moment.
    if (error instanceof CsvError || error instanceof PieceMissing) return null
    throw error
  }
}
