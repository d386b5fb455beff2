/**
 * DELETE /imports/{id}: deletes a file that is no longer needed; the report of what was imported
 * stays.
 */
import { ApiError, existing } from '../../../contract/errors.ts'
import { discardFile, dropFile, fileById } from '../../../db/audience/subscriber-files.ts'
import { dropAllPieces } from '../../files/file-pieces.ts'
import { dropAllRefusals } from './run-import.ts'
import type { Verb } from '../../verb.ts'

export const discardImport: Verb<'discardImport'> = async (ctx, { params }) => {
  const file = existing(await fileById(ctx.db, ctx.workspaceId, params.id), { id: params.id })
  // A run that begins at this moment would read pieces that are being deleted.
  if (!(await discardFile(ctx.db, ctx.workspaceId, file.id)))
    throw new ApiError('conflict', { reason: 'running', status: file.state })
  await dropAllPieces(ctx.db, ctx.workspaceId, file.id)
  await dropAllRefusals(ctx, { workspaceId: ctx.workspaceId, id: file.id })
  await dropFile(ctx.db, ctx.workspaceId, file.id)
  return { body: { object: 'import', discarded: true } }
}
