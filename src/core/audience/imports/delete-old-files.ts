/** Deletes import files after a day, with the reports of those that were not imported. */
import { discardFile, dropFile, outdatedFiles } from '../../../db/audience/subscriber-files.ts'
import type { Context } from '../../context.ts'
import { dropAllPieces } from '../../files/file-pieces.ts'
import { dropAllRefusals } from './run-import.ts'

/** The maximum of files per round. */
const max = 100

export async function deleteOldFiles(ctx: Pick<Context, 'db'>, workspaceId: number): Promise<void> {
  for (const id of await outdatedFiles(ctx.db, workspaceId, max)) {
    if (!(await discardFile(ctx.db, workspaceId, id))) continue
    await dropAllPieces(ctx.db, workspaceId, id)
    await dropAllRefusals(ctx, { workspaceId, id })
    await dropFile(ctx.db, workspaceId, id)
  }
}
