/**
 * POST /imports: stores a file of subscribers until it is imported, for at most a day.
 *
 * 1. check that the workspace may have one more
 * 2. store its pieces as they arrive; an upload that breaks off is deleted
 * 3. check that its first lines can be read
 */
import { ApiError } from '../../../contract/errors.ts'
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { beginFile, dropFile, markFileComplete } from '../../../db/audience/subscriber-files.ts'
import { dropAllPieces, storePieces } from '../../files/file-pieces.ts'
import { previewFile } from './preview-file.ts'
import { presentImport } from './present-import.ts'
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import type { CallContext } from '../../context.ts'
import type { Verb } from '../../verb.ts'

export const uploadImport: Verb<'uploadImport'> = async (ctx, { query, file }) => {
  const { id } = await storeImportFile(ctx, { name: query.name, file })
  return { body: await presentImport(ctx, { workspaceId: ctx.workspaceId, id }) }
}

/** Stores the file of a user or of a program. Throws the refusals, and leaves nothing then. */
export async function storeImportFile(
  ctx: CallContext,
  { name, file }: { name: string; file: AsyncIterable<Buffer> },
): Promise<{ id: string }> {
  const { db, workspaceId, user, apiKey } = ctx
  const id = ctx.makeId()
  const newFile = {
    id,
    // The name is only shown; control characters are replaced.
    name: name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' '),
    person: user?.email ?? `key ${apiKey.name}`,
    apiKeyId: apiKey.id || null,
    max: audienceLimits.importFilesMax,
  }
  if (!(await db.transaction((tx) => beginFile(tx, workspaceId, newFile))))
    throw new ApiError('conflict', { reason: 'too_many_files', limit: newFile.max })
  try {
    const bytes = await storePieces(db, { workspaceId, id }, file, {
      bytesMax: audienceLimits.importFileBytes,
      tooLarge,
    })
    const { headers } = await previewFile(db, workspaceId, { id, bytes })
    if (headers.length > audienceLimits.importColumnsMax) throw tooManyColumns(headers.length)
    await markFileComplete(db, workspaceId, id, bytes)
  } catch (error) {
    await dropStoredFile(ctx, id)
    throw csvFault(error)
  }
  return { id }
}

export async function dropStoredFile(
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  id: string,
): Promise<void> {
  await dropAllPieces(db, workspaceId, id)
  await dropFile(db, workspaceId, id)
}

const tooLarge = (): ApiError =>
  new ApiError('validation_error', {
    reason: 'file_too_large',
    path: '',
    rule: 'maxLength',
    limit: audienceLimits.importFileBytes,
  })

const tooManyColumns = (count: number): ApiError =>
  new ApiError('validation_error', {
    reason: 'too_many_columns',
    count,
    limit: audienceLimits.importColumnsMax,
  })

/**
 * The refusal of a file that cannot be read; any other error as it is. The decoder reports text that
 * is not UTF-8 with an error of its own.
 */
export function csvFault(error: unknown): unknown {
  if (error instanceof CsvError)
    return new ApiError('validation_error', { reason: `csv_${error.rule}`, line: error.line })
  if (
    error instanceof TypeError &&
    'code' in error &&
    error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  )
    return new ApiError('validation_error', { reason: 'csv_not_utf8' })
  return error
}
