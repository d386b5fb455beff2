/** GET /imports/{id}: a file's first lines, the progress of its import, and the result. */
import { found } from '../../contract/errors.ts'
import { presentImport } from './present-import.ts'
import type { Verb } from '../verb.ts'

export const getImport: Verb<'getImport'> = async (ctx, { params }) => {
  const body = found(await presentImport(ctx, { workspaceId: ctx.workspaceId, id: params.id }), { id: params.id })
  return { body }
}
